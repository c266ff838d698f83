"""The coordinator: which agents run before a request is answered, in which order, by a table."""

from dataclasses import replace

from agents.chat.context import Agent, Context, IntentName
from agents.chat.keeper_agent import KeeperAgent
from agents.chat.writer_agent import WriterAgent


class Coordinator:
    """Routes a request by its intent through a table of agents. `writer`: writes the answer after them."""

    def __init__(self, *, memory: Agent, keeper: KeeperAgent, vision: Agent, writer: WriterAgent) -> None:
        self.writer = writer
        self._memory = memory
        self._keeper = keeper
        self._vision = vision
        # For each intent, the agents before the writer. Another agent is one more line.
        self._routes: dict[IntentName, tuple[Agent, ...]] = {
            "question": (memory,),
            "chat": (memory,),
            "recall": (memory,),
            "summarise": (memory,),
            "location": (memory,),
            "image": (memory, vision),
            "remember": (keeper,),
            "forget": (keeper,),
        }

    async def prepare(self, context: Context) -> Context:
        """Everything before the answer: memory only where it is needed, vision wherever images are attached."""
        if context.request.speaker is not None:  # what the user has kept is not another's to change
            if context.intent.name in ("remember", "forget"):
                context = replace(context, intent=replace(context.intent, name="chat"))
        elif context.intent.name == "chat":
            amended = await self._keeper.amended(context.request, context.place)
            if amended is not None:
                return replace(context, done=amended).having_run(self._keeper.name)
        route = list(self._routes[context.intent.name])
        if not context.intent.need_memory:
            route = [agent for agent in route if agent is not self._memory]
        if context.request.images and self._vision not in route:
            route.append(self._vision)
        for agent in route:
            context = (await agent.run(context)).having_run(agent.name)
        return context
