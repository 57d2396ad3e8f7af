"""Words of a user that are an explicit yes, and words that are none."""

from __future__ import annotations

import time

import pytest

from evalnb.trajectory.confirmation import says_yes

YES = [
    "Yes",
    "yes please",
    "Y",
    "Yes.",
    "Yep, go ahead",
    "Absolutely",
    "Sí, adelante",
    "ja bitte",
    "Oui",
    "👍",
    "Okay.",
    "OK",
    "Sure!",
    "Sure, go ahead.",
    "Please proceed",
    "Go ahead",
    "Do it.",
    "Confirmed",
    "I confirm.",
    "I agree",
    "Correct.",
    "That's correct, please go ahead.",
    "Sounds good",
    "That works for me.",
    "Looks good to me!",
    "Of course",
    "Definitely",
    "Yes, please proceed. Can you also tell me X?",
    "No problem, go ahead",
    "Yes, I don't need insurance, please book it",
    "Yes, and can you also add a bag?",
    "Yes, please proceed, can you also tell me the price?",
    "I don't agree with the fee, but okay, go ahead.",
    "No, thank you. Please proceed with the booking.",
    "Yes, please proceed. I'm not a member, by the way.",
    "Yes, please proceed with the cancellation, no refund needed.",
    "Please proceed with the one that doesn't have a layover.",
    "Yes, please book it with no insurance",
    "Not a problem, please go ahead.",
    "Yes, I understand it's not refundable and I still want to proceed.",
    "I can't wait, go ahead!",
    "I'm okay with it not being refundable, please proceed.",
    "Don't worry, go ahead.",
    "Wait, yes, go ahead.",
    "I'd like to proceed with the upgrade.",
    "Change of plan. Please go ahead with the cancellation.",
    "Everything looks perfect! Please proceed with the booking.",
    "Yes, I would like to use my smaller gift card first, then the larger one.",
    "Yes, please don't charge the gift card, use my credit card",
    "No other changes, please proceed.",
    "Yes, that’s right.",
    "Yes! And I won't need bags.",
    "Yes, please. I don't have any other questions.",
    "Agreed.",
    "Please cancel it.",
    "Yes, please cancel order #W1. I don't want it anymore.",
    "Yes, I no longer need it, so please cancel it.",
    "I never wanted that jacket, so yes, please return it.",
    "Yes, I'm sure.",
    "Yes, the reason is 'no longer needed'.",
    "Yes, that is correct. The reason is that I no longer need it.",
]

NO = [
    "No, keep it",
    "No",
    "Nope",
    "I don't want to proceed",
    "Not okay",
    "I do not agree",
    "yes, but wait, don't do it yet",
    "What would it cost to cancel? I'm not sure.",
    "I never said yes",
    "Is that correct?",
    "Can you confirm the price first?",
    "okay, what are my options?",
    "I'm not sure yet",
    "No, I'm not sure yet",
    "Can we proceed with the right details?",
    "yes i don't want to proceed",
    "ok no",
    "Yes? What do you mean?",
    "Okay, but not now",
    "Please don't go ahead and cancel it.",
    "Don't do it",
    "Hold on, let me check",
    "Yes, but tell me the price first.",
    "Before you proceed, tell me the fee.",
    "Never mind",
    "Let me check with my wife first.",
    "If that's okay with you, what is the price?",
    "Are you sure?",
    "I'm not sure",
    "You'll cancel it, right?",
    "Proceed?",
    "Yes, proceed. Actually, don't proceed.",
    "Yes... no, don't do it.",
    "I disagree",
    "I cannot approve this",
    "I'd rather not proceed",
    "Stop",
    "Wait",
    "Thanks, how much is it?",
    "The correct date is May 5.",
    "Great! Could you also add 2 checked bags under my name?",
    "I want to cancel order 481",
    "",
    "That's not correct.",
    "That doesn't sound good",
    "That isn't fine",
    "I would not agree to that",
    "Okay, let me think about it.",
    "Could you proceed with the order?",
    "Would that be okay?",
    "Nein danke",
    "Please confirm the price.",
    "No, I want to proceed with the other one",
    "I haven't said yes",
    "I think there might have been a misunderstanding. I'm trying to change my flight from Atlanta to Las Vegas, not Los Angeles to Chicago. Can we proceed with the right details?",
    "Yes, can you confirm the price first?",
    "not yet",
    "Okay, hold off for now",
    "I am not okay with that fee",
    "Sure, but what is the refund?",
    "Yes, wait",
]


@pytest.mark.parametrize("text", YES)
def test_a_yes(text: str) -> None:
    assert says_yes(text)


@pytest.mark.parametrize("text", NO)
def test_no_yes(text: str) -> None:
    assert not says_yes(text)


@pytest.mark.parametrize(
    "part", ["yes ", "not ", "tell me ", "yes i ", "a.", ". ", "yes,", "no ", "\n", "don't ", "? "]
)
def test_long_words_are_read_in_a_time_that_grows_with_them(part: str) -> None:
    start = time.process_time()
    says_yes(part * 40_000)
    assert time.process_time() - start < 2
