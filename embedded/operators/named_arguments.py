"""Named operands: which ones an expression takes, and the code with which another shape is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embedded.errors import StoreError


@dataclass(frozen=True, slots=True)
class Codes:
    """MongoDB's codes for operands that are no object, an unknown name and a missing one; they follow no pattern."""

    shape: int = 9
    unknown: int = 9
    missing: Mapping[str, int] = field(default_factory=dict)


_TRIM = Codes(50696, 50694, {"input": 50695})
_REGEX = Codes(51103, 31024, {"input": 31022, "regex": 31023})
_REPLACE = Codes(51751, 51750, {"input": 51749, "find": 51748, "replacement": 51747})
_SHIFT_DATE = Codes(5166400, 5166401, {"startDate": 5166402, "unit": 5166402, "amount": 5166402})
_SET_FIELD = Codes(4161100, 4161101, {"field": 4161102, "value": 4161103, "input": 4161109})
_SOME = {"n": 5787906, "input": 5787907}
_TOP = Codes(5788001, 5788002, {"n": 5788003, "output": 5788004, "sortBy": 5788005})
_CODES = {
    "$cond": Codes(17080, 17083, {"if": 17080, "then": 17081, "else": 17082}),
    "$let": Codes(16874, 16875, {"vars": 16876, "in": 16877}),
    "$map": Codes(16878, 16879, {"input": 16880, "in": 16882}),
    "$filter": Codes(28646, 28647, {"input": 28648, "cond": 28650}),
    "$reduce": Codes(40075, 40076, {"input": 40077, "initialValue": 40078, "in": 40079}),
    "$switch": Codes(40060, 40067, {"branches": 40068}),
    "a branch of $switch": Codes(40062, 40063, {"case": 40064, "then": 40065}),
    "$trim": _TRIM,
    "$ltrim": _TRIM,
    "$rtrim": _TRIM,
    "$regexMatch": _REGEX,
    "$regexFind": _REGEX,
    "$regexFindAll": _REGEX,
    "$replaceOne": _REPLACE,
    "$replaceAll": _REPLACE,
    "$zip": Codes(34460, 34464, {"inputs": 34465}),
    "$sortArray": Codes(2942500, 2942501, {"input": 2942502, "sortBy": 2942503}),
    "$firstN": Codes(5787801, 5787901, _SOME),
    "$lastN": Codes(5787801, 5787901, _SOME),
    "$minN": Codes(5787900, 5787901, _SOME),
    "$maxN": Codes(5787900, 5787901, _SOME),
    "$top": _TOP,
    "$topN": _TOP,
    "$bottom": _TOP,
    "$bottomN": _TOP,
    "$getField": Codes(3041704, 3041701, {"field": 3041702, "input": 3041703}),
    "$setField": _SET_FIELD,
    "$unsetField": _SET_FIELD,
    "$dateToString": Codes(18629, 18534, {"date": 18628}),
    "$dateTrunc": Codes(5439007, 5439008, {"date": 5439009, "unit": 5439010}),
    "$dateAdd": _SHIFT_DATE,
    "$dateSubtract": _SHIFT_DATE,
    "$dateDiff": Codes(5166301, 5166302, {"startDate": 5166303, "endDate": 5166304, "unit": 5166305}),
    "$dateFromString": Codes(40540, 40541, {"dateString": 40542}),
    "$dateFromParts": Codes(40519, 40518),
    "$dateToParts": Codes(40524, 40520, {"date": 40522}),
}
_DATE_PART = Codes(40539, 40535, {"date": 40539})
_PARTS_OF_DATES = frozenset(
    {"$year", "$month", "$week", "$dayOfMonth", "$dayOfYear", "$dayOfWeek", "$hour", "$minute", "$second"}
    | {"$millisecond", "$isoWeek", "$isoWeekYear", "$isoDayOfWeek"}
)


def arguments(name: str, operand: Any, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """The named operands of an expression such as `{$trim: {input: …}}`. Raises StoreError with the operator's codes,
    or 9."""
    codes = _DATE_PART if name in _PARTS_OF_DATES else _CODES.get(name, Codes())
    if not isinstance(operand, Mapping):
        raise StoreError(codes.shape, f"{name} only supports an object as its argument")
    for given in operand:
        if given not in required and given not in optional:
            raise StoreError(codes.unknown, f"Unrecognized argument to {name}: {given}")
    for wanted in required:
        if wanted not in operand:
            raise StoreError(codes.missing.get(wanted, 9), f"Missing '{wanted}' parameter to {name}")
    return dict(operand)
