"""Which tables does a statement of SQL read, which one does it change, and which rows?"""

from time import perf_counter

import pytest

from memory.views.order import overtaken
from memory.views.sql import changed_none, is_sql, statements_of
from tests.tool_calls import record

JOIN = "SELECT * FROM accounts a JOIN users u ON u.id = a.user_id WHERE u.id = 2"
OPEN = "select * from tickets where status = 'open'"
SELECT = "SELECT id, balance FROM accounts WHERE id = 7"


@pytest.mark.parametrize(
    ("text", "is_statement"),
    [
        ("select 1 from t", True),
        ("-- why\nUPDATE t SET a = 1", True),
        ("with x as (select 1) delete from t", True),
        ("INSERT INTO t VALUES (1)", True),
        ("drop table t", True),
        ("update the row", False),
        ("show me the orders", False),
        ("selected flights from Rome", False),
        ("/* why */ -- when\n /**/ /***/\nselect 1", True),
        ("/* select 1 */", False),
        ("/* select 1", False),
        ("", False),
    ],
)
def test_statements_are_known_by_how_they_begin(text: str, is_statement: bool) -> None:
    assert is_sql(text) is is_statement


def test_comments_before_no_statement_take_no_longer() -> None:
    began = perf_counter()
    assert not is_sql("/**/" * 24 + "x")
    assert perf_counter() - began < 1
    assert not is_sql("/**/" * 25_000 + "x")


def test_a_statement_says_what_it_reads_and_changes() -> None:
    [read] = statements_of("select * from public.\"Orders\" o join users u on o.by = u.id where nr in (7, 'a;b')")
    assert (read.read, read.changed, read.rows) == ({"orders", "users"}, None, {"nr": {"7", "a;b"}})
    [changed] = statements_of("update orders set status = 'open where' where status = 'held' and id = 7")
    assert (changed.changed, changed.rows) == ("orders", {"id": {"7"}})
    assert [one.changed for one in statements_of("select 'delete from c' from d; delete from e;")] == [None, "e"]
    assert statements_of("select * from t where id = 7 or id = 8")[0].rows == {}


@pytest.mark.parametrize(
    ("read", "change", "is_older"),
    [
        (SELECT, "UPDATE accounts SET balance = 50 WHERE id = 7", True),
        (SELECT, "UPDATE accounts SET balance = 50 WHERE id = 8", False),
        (SELECT, "update public.accounts set balance = 50", True),
        (SELECT, "update accounts set balance = 0 where owner = 'Ann'", True),
        (SELECT, "UPDATE orders SET sum = 50 WHERE id = 7", False),
        (SELECT, "DELETE FROM accounts WHERE id IN (6, 7)", True),
        (SELECT, "INSERT INTO accounts (owner) VALUES ('Ann')", False),
        (SELECT, "SELECT owner FROM accounts WHERE id = 7", False),
        ("select * from accounts a join users u on a.by = u.id", "INSERT INTO users VALUES (1)", True),
        (JOIN, "UPDATE accounts SET balance = 0 WHERE id = 1", True),
        (JOIN, "DELETE FROM users WHERE id = 2", True),
        (JOIN, "DELETE FROM orders WHERE id = 2", False),
        ("select * from accounts, users u where u.id = 2", "update accounts set balance = 0 where id = 1", True),
        (
            "select * from accounts a join accounts b on a.by = b.id where b.id = 2",
            "delete from accounts where id = 1",
            True,
        ),
        (SELECT, "update accounts a set balance = 0 from users u where u.id = 2 and u.id = a.by", True),
        (SELECT, "delete from accounts a using users u where u.id = 2", True),
        (
            "select * from accounts where id in (select of from users where n = 2)",
            "delete from accounts where id = 1",
            True,
        ),
        ("select * from accounts a where a.id = 7", "UPDATE accounts SET balance = 50 WHERE id = 8", False),
        ("select * from accounts where name = 'a.b' and id = 7", "delete from accounts where id = 8", False),
        ("select * from accounts join users using (uid) where uid = 7", "delete from accounts where uid = 8", False),
        ("select * from old where id = 1", "select * into old from accounts", True),
        ("select * from old where id = 1", "select * into temp table old from accounts", True),
        ("select * from old where id = 1", "select 'into old' from accounts -- not into old", False),
        ("select * from outfile", "select * into outfile 'a.csv' from accounts", False),
        (SELECT, "select * into old from accounts where id = 7", False),
        (OPEN, "update tickets set status = 'open' where id = 3", True),
        (
            OPEN,
            "update tickets set status = 'open' where status = 'new'",
            True,
        ),
        (OPEN, "update tickets set by = 1 where status = 'new'", False),
    ],
)
def test_rows_are_older_than_what_changed_them(read: str, change: str, is_older: bool) -> None:
    for key, tool in (("query", "sql"), ("q", "db"), ("sql", "run_query"), ("command", "psql"), ("query", "query")):
        calls = [record("a", [{"id": 7}], tool, **{key: read}), record("b", "ok 1", tool, **{key: change})]
        assert overtaken(calls) == ({"a": "b"} if is_older else {})


@pytest.mark.parametrize("said", ["UPDATE 0", {"rowcount": 0}, "ERROR: no such column", {"error": "no rights"}])
def test_a_statement_that_changed_nothing_changes_nothing(said: object) -> None:
    change = record("b", said, "sql", query="UPDATE accounts SET balance = 50")
    assert overtaken([record("a", [{"balance": 100}], "sql", query=SELECT), change]) == {}


def test_a_search_for_a_statement_is_none() -> None:
    found = record("b", "a.sql:1", "search_code", query="DELETE FROM accounts")
    assert overtaken([record("a", [{"balance": 100}], "sql", query=SELECT), found]) == {}
    assert not changed_none("2 rows") and not changed_none({"rowcount": False})
