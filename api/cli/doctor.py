"""`loci doctor`: what is wrong with this installation, and what to do about it."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter

from agents.embedding import PROBE, embedder_of
from config.settings import Settings
from embedded.launch import StoreStartError
from embedded.room import check_room, told
from memory.gists import outdated_by
from memory.mirror import Mirror
from memory.recall import NAME, NEEDED, SearchIndex
from memory.store import Changes, Collections
from utils.embeddings import open_embedder, open_local_embedder
from utils.errors import LociError
from utils.models import chat_model_of, client_of
from utils.mongo import StoreError, open_database
from workers.app import make_app, ping_broker

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
    store = await _store(settings)
    advice = "Start Redis, or unset REDIS_URL to run the workers in process."
    broker = await _looked("broker", _broker(settings), advice)
    if quick:
        return [store, broker]
    findings = [store, broker]
    if settings.redis_url is not None and broker.ok:
        advice = "Start `loci worker --beat`: till then nothing is embedded, summarised or tidied up."
        findings.append(await _looked("workers", asyncio.to_thread(_workers, settings), advice))
    if settings.vector_search == "mongodb" and store.ok:
        asked_for = f"{NEEDED}; its index is made when Loci starts."
        findings.append(await _looked("vector search", _vector_search(settings), asked_for, f"{NEEDED}."))
    advice = "Check OPENAI_API_KEY, OPENAI_BASE_URL and EMBEDDING_MODEL; EMBEDDING_MODEL=local needs none of them."
    findings.append(await _looked("embeddings", _embeddings(settings), advice))
    advice = "Check OPENAI_API_KEY, OPENAI_BASE_URL and CHAT_MODEL."
    findings.append(await _looked("chat model", _chat(settings), advice))
    findings.append(await _looked("memory banks", _banks(settings), "Set a LOCI_HOME that can be written."))
    if settings.rerank_model is not None:
        look = _reranker(settings.rerank_model)
        findings.append(await _looked("cross-encoder", look, "Unset RERANK_MODEL to search without one."))
    if settings.mirror_path is not None:
        advice = "Set a MIRROR_PATH that can be written, and the MONGODB_URI that it belongs to."
        findings.append(await _looked("mirror", _mirror(settings, settings.mirror_path), advice))
    return findings


async def _looked(
    name: str, look: Awaitable[tuple[str, str]], advice: str, away: str = "It is looked at once the store answers."
) -> Finding:
    """What a look saw, and advises where all is well. `advice`: where it is not; `away`: where the store is not."""
    try:
        detail, hint = await look
    except LociError as error:
        return Finding(name, False, error.detail, advice)
    except OSError as error:
        return Finding(name, False, str(error), advice)
    except (StoreStartError, StoreError) as error:
        return Finding(name, False, type(error).__name__, away)
    return Finding(name, True, detail, hint)


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
    except (LociError, StoreError) as error:
        advice = "Is MongoDB running and MONGODB_URI right? Without MONGODB_URI the built-in store is used."
        return Finding(name, False, type(error).__name__, advice)
    what = "MongoDB" if settings.mongodb_uri else f"built-in store under {settings.loci_home}"
    return Finding(name, True, f"{what}, version {build['version']}, {_took(began)}")


async def _broker(settings: Settings) -> tuple[str, str]:
    began = perf_counter()
    return f"{await ping_broker(settings)}, {_took(began)}", ""


def _workers(settings: Settings) -> tuple[str, str]:
    answers = make_app(settings)[0].control.ping(timeout=WORKER_SECONDS)
    if not answers:
        raise TimeoutError(f"none answered in {WORKER_SECONDS:g} s")
    return f"{len(answers)} on this broker", ""


async def _vector_search(settings: Settings) -> tuple[str, str]:
    began = perf_counter()
    async with open_database(settings) as database:
        await SearchIndex(database.vectors).look()
    return f"MongoDB's index {NAME}, {_took(began)}", ""


async def _embeddings(settings: Settings) -> tuple[str, str]:
    client, local = client_of(settings), await asyncio.to_thread(open_local_embedder, settings)
    embedder = local if settings.local_embeddings else open_embedder(settings, client)
    outdated = waiting = 0
    with suppress(StoreStartError, StoreError):  # the store's own finding tells
        async with open_database(settings) as database:
            embedder = await embedder_of(settings, client, local, database)
            there = database.vectors
            outdated = await there.count_documents(outdated_by(embedder.model))
            waiting = await there.count_documents({"embed.state": {"$in": ["pending", "leased", "dead"]}})
    began = perf_counter()
    vectors = await embedder.embed([PROBE])
    detail = f"{embedder.model}, {vectors.shape[1]} dimensions, {_took(began)}"
    if waiting:
        detail += f"; {waiting} messages are not embedded yet"
    hint = (
        f"{outdated} messages were embedded by another model or version, and are hardly recalled until that is done "
        "anew: by the workers where an earlier local encoder did it, else by `loci reembed`."
    )
    return detail, hint if outdated else ""


async def _chat(settings: Settings) -> tuple[str, str]:
    client = client_of(settings)
    if client is None:
        return "none: answers and summaries are made by rules", "Set OPENAI_API_KEY or OPENAI_BASE_URL for one."
    model = chat_model_of(client, settings.chat_model, settings, setting="CHAT_MODEL")
    began = perf_counter()
    await model.complete([{"role": "user", "content": "Say ok."}], max_tokens=16)
    return f"{settings.chat_model}, {_took(began)}", ""


async def _reranker(path: Path) -> tuple[str, str]:
    from utils.reranker import load_reranker  # onnxruntime takes 0.2 s to import

    reranker = await asyncio.to_thread(load_reranker, path)
    began = perf_counter()
    await reranker.scores(PROBE, ["It feels good."])
    return f"{path}, {_took(began)} for a short text", ""


async def _mirror(settings: Settings, path: Path) -> tuple[str, str]:
    await asyncio.to_thread(_try_to_write, path)
    async with open_database(settings) as database:
        collections = Collections(database)
        await Mirror(collections, Changes(collections), path).check()
    return str(path), ""


async def _banks(settings: Settings) -> tuple[str, str]:
    path = settings.loci_home / "banks"
    await asyncio.to_thread(_try_to_write, path)
    async with open_database(settings) as database:
        many = await database.banks.count_documents({})
    return f"{many}, in files under {path}", ""


def _try_to_write(folder: Path) -> None:
    """Raises `OSError` where no file can be made in a folder, or the folder cannot be made."""
    there = folder
    try:
        while not there.exists():
            there = there.parent
        with TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise OSError(f"{folder}: {error.strerror}") from None


def _took(began: float) -> str:
    return f"{1_000 * (perf_counter() - began):.1f} ms"
