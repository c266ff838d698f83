"""What does a command read, and what does it change?"""

import pytest

from memory.views.commands import parts_of
from memory.views.order import overtaken
from tests.tool_calls import record


def is_older(before: str, after: str, tool: str = "bash", said: str = "done") -> bool:
    """Whether what a command told is older than what another one did."""
    return overtaken([record("a", "text", tool, command=before), record("b", said, tool, command=after)]) == {"a": "b"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cat app.conf", "sed -i 's/8000/9000/' app.conf"),
        ("cat ./app.conf | head -5", "sed -Ei.bak s/a/b/ app.conf"),
        ("cat app.conf", "echo x >> ./app.conf"),
        ("cat Makefile", "rm -f Makefile"),
        ("cat a.txt b.txt", "mv b.txt c.txt"),
        ("cat c.txt", "cp b.txt c.txt"),
        ("sed -n 1,50p src/app.py", "cat > src/app.py <<'EOF'\nimport y\nEOF"),
        ("cd src && cat app.py", "perl -pi -e 's/a/b/' src/app.py"),
        ("cat app.conf", "bash -lc 'sort x | tee app.conf'"),
        ("cat app.conf && sed -i s/a/b/ other.conf", "FOO=1 sudo rm app.conf"),
        ("ls /tmp/work", "rm /tmp/work/a.txt"),
        ("ls", "mkdir build"),
        ("git status --short", "git commit -am 'Mend it'"),
        ("cat src/a.py", "git checkout -- src/a.py"),
        ("kubectl get deploy api -o json", "kubectl scale deploy/api --replicas=5"),
        ("kubectl get pods -n prod", "kubectl delete pod web -n prod"),
        ("docker ps", "docker stop web"),
        ("systemctl status nginx", "systemctl restart nginx"),
        ("gh issue view 7", "gh issue close 7"),
        ("aws ec2 describe-instances --instance-ids i-1", "aws ec2 stop-instances --instance-ids i-1"),
        ("curl -s https://x.org/users/5", "curl -X PATCH https://x.org/users/5 -d '{}'"),
        ("curl -s https://x.org/users/5", "curl -XDELETE https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl --request=DELETE https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -sXPUT https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -sd a=b https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -sSfF f=@a.png https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl --data-raw=a https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "wget --method=DELETE https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "wget -qO- --post-data a=b https://x.org/users/5"),
        ("cat f.json", "curl -o f.json https://x.org/users/5"),
        ("cat f.json", "curl -sSLof.json https://x.org/users/5"),
        ("cat out/f.json", "curl --output-dir out -O https://x.org/f.json?v=2"),
        ("cat f.json", "wget https://x.org/f.json"),
        ("cat f.json", "cd out && curl --output=../f.json https://x.org/f"),
        ("cat out.txt", "sort -o out.txt in.txt"),
        ("cat out.txt", "sort -uo out.txt in.txt"),
        ("cat out.txt", "sort in.txt --output=out.txt"),
        ("psql -c 'select * from t'", "psql -c 'delete from t where id = 1'"),
    ],
)
def test_what_a_command_showed_is_older_than_one_that_changed_it(before: str, after: str) -> None:
    assert is_older(before, after)
    assert not is_older(after, before)
    assert not is_older(before, before + " ")
    assert not is_older(before, after, said="Error: permission denied")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cat app.conf", "grep port app.conf | sort"),
        ("curl -s https://x.org/users/5", "curl -XGET -d a=b https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -G -d a=b https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl --get --data-urlencode a=b https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -sI https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -sS -H 'X-d: -XPUT' https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -fsSL -b d=1 https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -XDELETE https://x.org/users/6"),
        ("curl -s https://x.org/users/5", "wget -qdO- https://x.org/users/5"),
        ("curl -s https://x.org/users/5", "curl -so users https://x.org/users/5"),
        ("cat f.json", "curl -o - https://x.org/f.json"),
        ("cat f.json", "curl -s https://x.org/f.json"),
        ("cat f.json", "wget --spider https://x.org/f.json"),
        ("cat in.txt", "sort -o out.txt in.txt"),
        ("cat out.txt", "sort -t o -k 2 out.txt"),
        ("cat /dev/null", "curl -so /dev/null -w '%{http_code}' https://x.org/f"),
        ("cat app.conf", "sed -n 1,5p app.conf"),
        ("cat app.conf", "sed -i s/a/b/ other.conf"),
        ("cat app.conf", "cp app.conf app.bak"),
        ("cat app.conf", "cat app.conf > /dev/null 2>&1; wc -l < app.conf"),
        ("cat app.conf", "echo 'rm app.conf'"),
        ("cat app.conf", "cd other && rm app.conf"),
        ("cat app.conf", "cat > notes.txt <<EOF\nrm app.conf\nEOF"),
        ("ls /tmp/work", "rm /tmp/other/a2.txt"),
        ("git show abc1234", "git commit -m x"),
        ("git log --oneline", "git commit -m x"),
        ("kubectl get deploy web", "kubectl scale deploy/api --replicas=5"),
        ("kubectl get deploy api -n prod", "kubectl scale deploy/api --replicas=5 -n dev"),
        ("kubectl get pods", "kubectl scale deploy/api --replicas=5"),
        ("kubectl get deploy api", "kubectl logs deploy/api"),
        ("docker ps", "helm upgrade api"),
        ("curl -s https://x.org/users/5", "curl -X DELETE https://x.org/users/6"),
        ("gh issue view 7", "gh issue close 8"),
    ],
)
def test_what_a_command_showed_is_not_older_than_one_that_reads_or_changes_something_else(
    before: str, after: str
) -> None:
    assert not is_older(before, after)


def test_what_another_tool_read_is_older_than_a_command_that_changed_it_and_not_than_one_that_reads_it() -> None:
    read = record("a", "all: x", "read_file", path="Makefile")
    for command, is_changed in (("sed -i s/a/b/ ./Makefile", True), ("cat Makefile", False), ("make", False)):
        assert bool(overtaken([read, record("b", "", "bash", command=command)])) is is_changed
    tests = record("a", "def test(): ...", "read_file", path="tests/test_a.py")
    for command in ("pytest tests/test_a.py", "python -m pytest tests/test_a.py", "git log tests/test_a.py"):
        assert overtaken([tests, record("b", "1 passed", "bash", command=command)]) == {}
    assert overtaken([tests, record("b", "done", "bash", command="python tests/test_a.py")]) == {"a": "b"}
    shown = record("a", "import x", "bash", command="cat src/a.py")
    assert overtaken([shown, record("b", "ok", "write_file", path="src/a.py")]) == {"a": "b"}


def test_commands_may_be_lists_or_say_no_program() -> None:
    read = record("a", "import x", "shell", command=["bash", "-lc", "sed -n 1,50p src/a.py"])
    assert overtaken([read, record("b", "", "shell", command=["bash", "-lc", "rm src/a.py"])]) == {"a": "b"}
    assert overtaken([read, record("b", "x", "shell", commands=["cat b.py", "rm src/a.py"])]) == {"a": "b"}
    got = record("a", {"kind": "Deployment"}, "kubectl", args="get deploy api -o json")
    assert overtaken([got, record("b", "scaled", "kubectl", args="scale deployment/api --replicas=5")]) == {"a": "b"}
    assert overtaken([got, record("b", "scaled", "kubectl", args="scale deployment/web --replicas=5")]) == {}


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text", ["x/", "'", "\\", "<<a\n", ">", '"\\', "a=1 ", "$(", "sed -i", "select ", "update x ", "a in (1"]
)
def test_long_commands_take_no_longer(text: str) -> None:
    assert isinstance(parts_of(text * 100_000), tuple)
