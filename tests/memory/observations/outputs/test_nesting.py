"""Are values told with the names and the items of lists that they stand within?"""

import pytest

from memory.observations.outputs.rules import observe_by_rules


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "replicas: 3\nlimits:\n  memory: 256Mi\n  cpu: 500m\nport: 80\n",
            ["replicas: 3", "limits.memory: 256Mi", "limits.cpu: 500m", "port: 80"],
        ),
        (
            "Containers:\n  web:\n    Image:  nginx:1.25\n    Restart Count: 12\n",
            ["Containers.web.Image: nginx:1.25", "Containers.web.Restart Count: 12"],
        ),
        ("Findings:\n  - Disk: 97% full\n", ["Disk: 97% full"]),
        (
            "a_very_long_outer_name_of_settings:\n  an_inner_name_of_settings:\n    size: 3\n",
            ["an_inner_name_of_settings.size: 3"],
        ),
        ("```\nlimits:\n```\n  memory: 256Mi\n", ["memory: 256Mi"]),
    ],
)
def test_a_value_within_another_name_is_told_with_it(output: str, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "databases:\n  - name: orders\n    size_gb: 120\n  - name: users\n    size_gb: 3\n",
            ["databases[orders].size_gb: 120", "databases[users].size_gb: 3"],
        ),
        (
            'databases:\n- size_gb: 120\n  name: "orders"\n- size_gb: 3\n  name: users\nport: 80\n',
            ["databases[orders].size_gb: 120", "databases[users].size_gb: 3", "port: 80"],
        ),
        (
            "pods:\n  - id: 7\n    limits:\n      memory: 256Mi\n    restarts: 3\n",
            ["pods[id 7].limits.memory: 256Mi", "pods[id 7].restarts: 3"],
        ),
        (
            "users:\n  - name: Ann Lee\n    role: admin\n  - id: 7\n    name: Bo Oz\n    limit: 3 GB\n",
            ["users.name: Ann Lee", "users[Bo Oz].id: 7", "users[Bo Oz].limit: 3 GB"],
        ),
        (
            "- job: nightly\n  last_exit: 137\n- job: hourly\n  last_exit: 0\n",
            ["job nightly.last_exit: 137", "job hourly.last_exit: 0"],
        ),
        (
            "spec:\n  template:\n    spec:\n      containers:\n        - name: a-container-with-a-name\n"
            "          resources:\n            limits:\n              memory: 64Mi\n",
            ["containers[a-container-with-a-name].limits.memory: 64Mi"],
        ),
    ],
)
def test_a_value_of_an_item_is_told_with_what_the_item_is_called(output: str, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("Checks:\n  - Disk: 97% full\n  - Load: 3.2\n", ["Disk: 97% full", "Load: 3.2"]),
        ("- Region: eu-1\n- Port: 80\n", ["Region: eu-1", "Port: 80"]),
        ("ports:\n  - 80\n  - 443\nsize: 3 GB\n", ["size: 3 GB"]),
        ("- The cache has 3 nodes\n  in eu-1: size: 4\n", ["The cache has 3 nodes", "in eu-1: size: 4"]),
    ],
)
def test_an_item_that_is_no_object_gives_no_name(output: str, told: list[str]) -> None:
    assert findings(output) == told
