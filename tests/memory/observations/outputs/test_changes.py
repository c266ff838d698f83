"""Is what a tool will change or has changed told, and first what is lost by that?"""

import time

import pytest

from memory.observations.outputs.changes import changes_in, is_loss
from memory.observations.outputs.rules import observe_by_rules

PLAN = """\
Terraform will perform the following actions:

  # aws_instance.web will be updated in-place
  ~ resource "aws_instance" "web" {
      ~ instance_type = "t3.small" -> "t3.large"
    }

  # aws_db_instance.main must be replaced
-/+ resource "aws_db_instance" "main" {
      ~ engine_version = "14.7" -> "15.2" # forces replacement
        name           = "orders"
    }

  # module.vpc.aws_subnet.a["eu-1"] will be destroyed
  # (because key ["eu-1"] is not in for_each map)
  - resource "aws_subnet" "a" {
    }

Plan: 1 to add, 1 to change, 2 to destroy.
"""
APPLY = """\
aws_s3_bucket.logs: Destroying... [id=acme-logs]
aws_s3_bucket.logs: Destruction complete after 1s
aws_instance.web: Still modifying... [id=i-0a1b, 10s elapsed]
aws_instance.web: Modifications complete after 14s [id=i-0a1b]

Apply complete! Resources: 0 added, 1 changed, 1 destroyed.
"""
KUBECTL = """\
deployment.apps/web configured
service/web unchanged
configmap/old-settings deleted
pod "api-7c9d" deleted
"""
CDK = """\
Stack ShopStack
Resources
[+] AWS::SQS::Queue Jobs JobsE1
[-] AWS::S3::Bucket Logs LogsA2 destroy
[~] AWS::RDS::DBInstance Db Db12 replace
"""
PULUMI = """\
     Type                 Name        Plan        Info
     pulumi:pulumi:Stack  shop-prod
 +   ├─ aws:s3:Bucket     logs        create
 ~   ├─ aws:ec2:Instance  web         update      [diff: ~instanceType]
 -   └─ aws:rds:Instance  db          delete
"""


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            PLAN,
            [
                "Plan: 1 to add, 1 to change, 2 to destroy.",
                'aws_db_instance.main must be replaced (engine_version = "14.7" -> "15.2")',
                'module.vpc.aws_subnet.a["eu-1"] will be destroyed',
                "aws_instance.web will be updated in-place",
            ],
        ),
        (
            APPLY,
            [
                "Apply complete! Resources: 0 added, 1 changed, 1 destroyed.",
                "aws_s3_bucket.logs: Destruction complete after 1s",
                "aws_instance.web: Modifications complete after 14s [id=i-0a1b]",
            ],
        ),
        (KUBECTL, ["configmap/old-settings deleted", 'pod "api-7c9d" deleted', "deployment.apps/web configured"]),
        (
            CDK,
            [
                "[-] AWS::S3::Bucket Logs LogsA2 destroy",
                "[~] AWS::RDS::DBInstance Db Db12 replace",
                "[+] AWS::SQS::Queue Jobs JobsE1",
            ],
        ),
        (
            PULUMI,
            [
                "-: Type aws:rds:Instance, Name db, Plan delete",
                "Type: pulumi:pulumi:Stack; Name: shop-prod",
                "+: Type aws:s3:Bucket, Name logs, Plan create",
                "~: Type aws:ec2:Instance, Name web, Plan update, Info [diff: ~instanceType]",
            ],
        ),
        (
            "sending incremental file list\nsrc/app.py\ndeleting src/old.py\n",
            ["deleting src/old.py"],
        ),
    ],
)
def test_what_is_lost_is_told_before_other_changes(output: str, told: list[str]) -> None:
    assert findings(output) == told


def test_of_a_long_plan_what_is_lost_is_told_wherever_it_stands() -> None:
    def change(name: str, how: str) -> str:
        keys = "".join(f"      + key_{at} = (known after apply)\n" for at in range(9))
        return f'  # aws_instance.{name} will be {how}\n  + resource "aws_instance" "{name}" {{\n{keys}    }}\n'

    plan = "".join(change(f"web_{at}", "destroyed" if at == 23 else "created") for at in range(60))
    told = findings(f"{plan}\nPlan: 59 to add, 0 to change, 1 to destroy.\n")
    assert told[:2] == ["Plan: 59 to add, 0 to change, 1 to destroy.", "aws_instance.web_23 will be destroyed"]
    assert all("will be created" in one for one in told[2:])


@pytest.mark.parametrize(
    "text",
    [
        "The bucket will be destroyed when nobody needs it.",
        "Nothing will be destroyed",
        "service/web unchanged",
        "Deleting is safe here",
        "The plan: delete the logs",
        "orders.id will be created",
        "3 files deleted",
    ],
)
def test_what_loses_nothing_that_is_named_is_no_loss(text: str) -> None:
    assert not is_loss(text)


def test_a_long_line_of_what_is_replaced_is_read_in_a_moment() -> None:
    head = "# aws_db_instance.main must be replaced"
    blanks = " " * 200_000
    began = time.process_time()
    assert list(changes_in([head, f"{blanks}x", f"x{blanks}y"])) == [0]
    assert changes_in([head, f"  ~ engine = 1{blanks}# forces replacement"]) == {
        0: "aws_db_instance.main must be replaced (engine = 1)"
    }
    assert time.process_time() - began < 10
