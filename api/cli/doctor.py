"""`loci doctor`: what is wrong with this installation, and what to do about it."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter

from pymongo.errors import PyMongoError

from config.settings import Settings
from embedded.launch import StoreStartError
from embedded.room import check_room, told
from memory.gists import outdated_by
from memory.mirror import Mirror
from memory.recall import NAME, NEEDED, SearchIndex
from memory.store import Changes, Collections
from utils.embeddings import open_embedder
from utils.errors import LociError
from utils.models import chat_model_of, client_of
from utils.mongo import open_database
from workers.app import make_app
from workers.broker import ping_broker

WORKER_SECONDS = 3.0  # in which a worker answers, unless it is in the middle of a long task


@dataclass(frozen=True)
class Finding:
    name: str
    ok: bool
    detail: str
    advice: str = ""


async def examine(settings: Settings, *, quick: bool = False) -> list[Finding]:
    """Checks each dependency for real: a round trip to the store, the broker and the workers, one embedding, one
    answer. `quick`: store and broker alone."""
    found = [await _store(settings), await _broker(settings)]
    if quick:
        return found
    if settings.redis_url is not None and found[1].ok:
        found.append(await asyncio.to_thread(_workers, settings))
    if settings.vector_search == "mongodb" and found[0].ok:
        found.append(await _vector_search(settings))
    found += [await _embeddings(settings), await _chat(settings)]
    found.append(await _banks(settings))
    if settings.rerank_model is not None:
        found.append(await _reranker(settings.rerank_model))
    if settings.mirror_path is not None:
        found.append(await _mirror(settings, settings.mirror_path))
    return found


async def _store(settings: Settings) -> Finding:
    name, folder = "store", settings.loci_home / "store"
    began = perf_counter()
    try:
        async with open_database(settings) as database:
            await database.command("ping")
            build = await database.command("buildInfo")
            if settings.mongodb_uri is None:
                await asyncio.to_thread(check_room, folder)
    except OSError as error:
        if settings.mongodb_uri is not None:
            return Finding(name, False, str(error), "Is MONGODB_URI right, and are the files there that it names?")
        return Finding(
            name, False, told(folder, error), "It is read meanwhile, and goes on by itself once it can write."
        )
    except StoreStartError as error:
        return Finding(name, False, str(error), f"See {folder / 'log'}; another LOCI_HOME may be set, or MONGODB_URI.")
    except PyMongoError as error:
        advice = "Is MongoDB running and MONGODB_URI right? Without MONGODB_URI the built-in store is used."
        return Finding(name, False, type(error).__name__, advice)
    what = "MongoDB" if settings.mongodb_uri else f"built-in store under {settings.loci_home}"
    return Finding(name, True, f"{what}, version {build['version']}, {_took(began)}")


async def _broker(settings: Settings) -> Finding:
    began = perf_counter()
    try:
        what = await ping_broker(settings)
    except OSError as error:
        return Finding("broker", False, str(error), "Start Redis, or unset REDIS_URL to run the workers in process.")
    return Finding("broker", True, f"{what}, {_took(began)}")


def _workers(settings: Settings) -> Finding:
    app, _ = make_app(settings)
    answers = app.control.ping(timeout=WORKER_SECONDS)
    if not answers:
        advice = "Start `loci worker --beat`: till then nothing is embedded, summarised or tidied up."
        return Finding("workers", False, f"none answered in {WORKER_SECONDS:g} s", advice)
    return Finding("workers", True, f"{len(answers)} on this broker")


async def _vector_search(settings: Settings) -> Finding:
    name = "vector search"
    began = perf_counter()
    try:
        async with open_database(settings) as database:
            await SearchIndex(Collections.of(database).vectors).look()
    except LociError as error:
        return Finding(name, False, error.detail, f"{NEEDED}; its index is made when Loci starts.")
    except (StoreStartError, PyMongoError) as error:
        return Finding(name, False, type(error).__name__, f"{NEEDED}.")
    return Finding(name, True, f"MongoDB's index {NAME}, {_took(began)}")


async def _embeddings(settings: Settings) -> Finding:
    name = "embeddings"
    try:
        client = client_of(settings)
        embedder = await asyncio.to_thread(open_embedder, settings, client)
        began = perf_counter()
        vectors = await embedder.embed(["How does this feel?"])
        took = _took(began)
        async with open_database(settings) as database:
            others = outdated_by(embedder.model)
            vectors_there = Collections.of(database).vectors
            outdated = await vectors_there.count_documents(others)
            waiting = await vectors_there.count_documents({"embed.state": {"$in": ["pending", "leased", "dead"]}})
    except LociError as error:
        advice = "Check OPENAI_API_KEY, OPENAI_BASE_URL and EMBEDDING_MODEL; EMBEDDING_MODEL=local needs none of them."
        return Finding(name, False, error.detail, advice)
    except (StoreStartError, PyMongoError):
        outdated = waiting = 0  # the store's own finding tells
    advice = (
        f"{outdated} messages were embedded by another model or version, and are hardly recalled until that is done "
        "anew: by the workers where an earlier local encoder did it, else by `loci reembed`."
    )
    detail = f"{embedder.model}, {vectors.shape[1]} dimensions, {took}"
    if waiting:
        detail += f"; {waiting} messages are not embedded yet"
    return Finding(name, True, detail, advice if outdated else "")


async def _chat(settings: Settings) -> Finding:
    name = "chat model"
    try:
        client = client_of(settings)
        if client is None:
            return Finding(
                name,
                True,
                "none: answers and summaries are made by rules",
                "Set OPENAI_API_KEY or OPENAI_BASE_URL for one.",
            )
        model = chat_model_of(client, settings.chat_model, settings)
        began = perf_counter()
        await model.complete([{"role": "user", "content": "Say ok."}], max_tokens=16)
    except LociError as error:
        advice = "Check OPENAI_API_KEY, OPENAI_BASE_URL and CHAT_MODEL. Until then answers are made by rules."
        return Finding(name, False, error.detail, advice)
    return Finding(name, True, f"{settings.chat_model}, {_took(began)}")


async def _reranker(path: Path) -> Finding:
    from utils.reranker import load_reranker  # onnxruntime takes 0.2 s to import

    name = "cross-encoder"
    try:
        reranker = await asyncio.to_thread(load_reranker, path)
        began = perf_counter()
        await reranker.scores("How does this feel?", ["It feels good."])
    except LociError as error:
        return Finding(name, False, error.detail, "Unset RERANK_MODEL to search without one.")
    return Finding(name, True, f"{path}, {_took(began)} for a short text")


async def _mirror(settings: Settings, path: Path) -> Finding:
    name = "mirror"
    try:
        await asyncio.to_thread(_try_to_write, path)
        async with open_database(settings) as database:
            collections = Collections.of(database)
            mirror = Mirror(collections, Changes(collections), path)
            await mirror.check()
            strays = await mirror.strays()
    except LociError as error:
        return Finding(name, False, error.detail, "Set another MIRROR_PATH, or the MONGODB_URI that it belongs to.")
    except OSError as error:
        return Finding(name, False, f"{path}: {error.strerror}", "Set a MIRROR_PATH that can be written.")
    except (StoreStartError, PyMongoError) as error:
        return Finding(name, False, type(error).__name__, "It is looked at once the store answers.")
    if not strays:
        return Finding(name, True, str(path))
    advice = "They could not be read (the server's log says why), or are taken over once Loci serves."
    return Finding(name, True, f"{path}; files that are not in the memory: {len(strays)}, such as {strays[0]}", advice)


async def _banks(settings: Settings) -> Finding:
    name, path = "memory banks", settings.loci_home / "banks"
    try:
        await asyncio.to_thread(_try_to_write, path)
        async with open_database(settings) as database:
            many = await Collections.of(database).banks.count_documents({})
    except OSError as error:
        return Finding(name, False, f"{path}: {error.strerror}", "Set a LOCI_HOME that can be written.")
    except (StoreStartError, PyMongoError) as error:
        return Finding(name, False, type(error).__name__, "They are looked at once the store answers.")
    return Finding(name, True, f"{many}, in files under {path}")


def _try_to_write(folder: Path) -> None:
    """Raises `OSError` where no file can be made in a folder, or the folder cannot be made."""
    while not folder.exists():
        folder = folder.parent
    with TemporaryFile(dir=folder):
        pass


def _took(began: float) -> str:
    return f"{1_000 * (perf_counter() - began):.1f} ms"
