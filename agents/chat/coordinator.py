"""The coordinator: which agents answer a request, in which order, by a table."""

from collections.abc import Sequence

from agents.chat.context import Agent, Context, IntentName

Routes = dict[IntentName, tuple[Agent, ...]]


class Coordinator:
    """Routes a request by its intent through a table of agents; the last one writes the answer."""

    def __init__(self, routes: Routes, *, memory: Agent, vision: Agent, writer: Agent) -> None:
        self._routes = routes
        self._memory = memory
        self._vision = vision
        self._writer = writer

    def route(self, context: Context) -> Sequence[Agent]:
        """The agents to run before the writer: memory where it is needed, vision where images are attached."""
        route = list(self._routes[context.intent.name])
        if not context.intent.need_memory:
            route = [agent for agent in route if agent is not self._memory]
        if context.request.images and self._vision not in route:
            route.append(self._vision)
        return route

    async def prepare(self, context: Context) -> Context:
        """Everything before the answer. Memory is read while the prompt is committed; all else waits for that."""
        for agent in self.route(context):
            if agent is not self._memory:
                await context.opening()
            context = (await agent.run(context)).having_run(agent.name)
        await context.opening()
        return context

    async def write(self, context: Context) -> Context:
        """The answer, emitted as it comes. Raises `InterruptedAnswer` where the model breaks off in the middle."""
        context = context.having_run(self._writer.name)
        return await self._writer.run(context)


def routes(*, memory: Agent, keeper: Agent, vision: Agent) -> Routes:
    """The table: for each intent, the agents before the writer. Another agent is one more line."""
    return {
        "question": (memory,),
        "chat": (memory,),
        "recall": (memory,),
        "summarise": (memory,),
        "location": (memory,),
        "image": (memory, vision),
        "remember": (keeper,),
        "forget": (keeper,),
    }
