"""Files go into GridFS and come out again, through each driver's own bucket."""

import gridfs
import pytest
from gridfs.errors import NoFile
from motor.motor_asyncio import AsyncIOMotorDatabase, AsyncIOMotorGridFSBucket
from pymongo.asynchronous.database import AsyncDatabase

from tests.embedded.drivers import listed, settled

CONTENT = bytes(range(256)) * 3000


def bucket_of(db, **options):
    if isinstance(db.raw, AsyncIOMotorDatabase):
        return AsyncIOMotorGridFSBucket(db.raw, **options)
    if isinstance(db.raw, AsyncDatabase):
        return gridfs.AsyncGridFSBucket(db.raw, **options)
    return gridfs.GridFSBucket(db.raw, **options)


async def test_a_file_is_uploaded_downloaded_renamed_and_deleted(db):
    bucket = bucket_of(db, chunk_size_bytes=100_000)
    identifier = await settled(bucket.upload_from_stream("photo", CONTENT, metadata={"kind": "test"}))
    stream = await settled(bucket.open_download_stream(identifier))
    assert await settled(stream.read()) == CONTENT
    assert stream.length == len(CONTENT) and stream.metadata == {"kind": "test"}
    assert await db["fs.chunks"].count_documents({"files_id": identifier}) == 8
    assert (await db["fs.chunks"].index_information())["files_id_1_n_1"]["unique"] is True
    await settled(bucket.rename(identifier, "picture"))
    (found,) = await listed(bucket.find({"filename": "picture"}))
    assert found._id == identifier
    await settled(bucket.delete(identifier))
    assert await db["fs.chunks"].count_documents({}) == 0
    with pytest.raises(NoFile):
        await settled((await settled(bucket.open_download_stream(identifier))).read())


async def test_the_newest_version_of_a_name_is_opened(db):
    bucket = bucket_of(db)
    for content in (b"one", b"two"):
        await settled(bucket.upload_from_stream("note", content))
    newest = await settled(bucket.open_download_stream_by_name("note"))
    assert await settled(newest.read()) == b"two"
    oldest = await settled(bucket.open_download_stream_by_name("note", revision=0))
    assert await settled(oldest.read()) == b"one"


async def test_a_file_is_read_from_the_middle(db):
    bucket = bucket_of(db, chunk_size_bytes=1000)
    identifier = await settled(bucket.upload_from_stream("long", CONTENT))
    stream = await settled(bucket.open_download_stream(identifier))
    await settled(stream.seek(12_345))
    assert await settled(stream.read(10)) == CONTENT[12_345:12_355]
