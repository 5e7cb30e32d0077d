"""What the shop uses: each test has an oracle in oracles/."""

import time
import urllib.request

import pytest

pytestmark = pytest.mark.buto(main="Shop", classpath="classes", options=["-Xmx64m", "-XX:+UseSerialGC"])


@pytest.mark.buto(args=["60"])
def test_orders():
    """Nothing more to say: the mark has the program launched, measured and judged."""


def test_service(buto):
    """The shop is driven while it is measured: orders come over HTTP, and one more through JMX."""
    with buto.record(args=["serve"], stop=True, jmx=True) as shop:
        port = shop.wait_for_port()
        shop.mark("load.start")
        for _ in range(20):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/order", timeout=10).close()
            time.sleep(0.02)
        shop.mark("load.end")
        shop.jmx.invoke("shop:type=Shop", "order", 1)
