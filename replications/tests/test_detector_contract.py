"""What every detector must hold to, asked of the papers' methods."""

import pytest

from buto.judging.registry import PACKAGES, detector
from tests.contract.test_detector_contract import *  # noqa: F403
from tests.contract.test_detector_contract import label

pytestmark = pytest.mark.parametrize("chosen", [detector(name).defaults for name in PACKAGES], ids=label)
