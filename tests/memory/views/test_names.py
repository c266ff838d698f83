"""What does the name of a tool say?"""

import pytest

from memory.views.names import are_of_a_kind, differ_in_a_word, is_of, nouns_of, reads, words_of


def test_names_have_words_however_they_are_written() -> None:
    assert words_of("crm_get_contact") == words_of("crmGetContact") == words_of("CRM.get-contact")
    assert words_of("getHTTPStatus2") == ("get", "http", "status", "2")


@pytest.mark.parametrize(
    ("name", "is_reading"),
    [
        ("get_issue", True),
        ("getweather", True),
        ("crm_get_contact", True),
        ("calendar_list", True),
        ("order.status", True),
        ("check_inventory", True),
        ("crm_list_deals", True),
        ("calendarListEvents", True),
        ("db_describe_table", True),
        ("send_email", True),
        ("run_tests", True),
        ("translate", True),
        ("mark_message_read", False),
        ("archive_email", False),
        ("wish_list_share", False),
        ("guest_list_update", False),
        ("hotel_check_in", False),
        ("check_out", False),
        ("checkout", False),
        ("checkIn", False),
        ("set_status", False),
        ("create_list", False),
        ("mark_as_read", False),
        ("update_issue", False),
        ("book", False),
        ("", False),
    ],
)
def test_what_only_reads_is_known_by_its_name(name: str, is_reading: bool) -> None:
    assert reads(name) is is_reading


def test_a_field_names_the_kind_of_thing_that_a_tool_is_for() -> None:
    assert is_of("order_id", "cancel_order") and is_of("orderIds", "cancelOrders") and is_of("pod", "restart_pod")
    assert is_of("id", "cancel_order") and not is_of("key", "cancel_order") and not is_of("", "cancel_order")
    assert not is_of("payment_id", "cancel_order") and not is_of("old_order_id", "cancel_order")


def test_tools_are_of_a_kind_or_differ_in_a_word() -> None:
    assert are_of_a_kind("get_issue", "issues_update") and are_of_a_kind("get_price", "update_product_price")
    assert not are_of_a_kind("crm_get_contact", "crm_update_deal") and not are_of_a_kind("weather", "book")
    assert differ_in_a_word("get_cart", "add_to_cart") and differ_in_a_word("get_cart", "remove_item_from_cart")
    assert not differ_in_a_word("get_cart", "add_to_wishlist") and not differ_in_a_word("get_user", "sign_in")
    assert differ_in_a_word("get_settings", "update_settings") and not differ_in_a_word("list_deals", "update_deal")


@pytest.mark.parametrize(
    ("name", "nouns"),
    [
        ("list_tickets", {"ticket"}),
        ("crm_update_deals", {"crm", "deal"}),
        ("add_to_cart", {"cart"}),
        ("list_branches", {"branch"}),
        ("getCategories", {"category"}),
        ("search", set()),
    ],
)
def test_a_name_says_what_a_tool_is_for(name: str, nouns: set[str]) -> None:
    assert nouns_of(name) == nouns
