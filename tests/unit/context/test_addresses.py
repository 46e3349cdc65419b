from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from assay.context.addresses import ANY_ADDRESS, PUBLIC_ONLY, AddressPolicy
from assay.context.skipped import Unreadable


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2001:db8::1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ],
)
def test_what_is_not_public_is_refused_unless_allowed(address: str) -> None:
    assert not PUBLIC_ONLY.allows(ip_address(address))
    assert ANY_ADDRESS.allows(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "172.15.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"],
)
def test_what_is_public_is_allowed(address: str) -> None:
    assert PUBLIC_ONLY.allows(ip_address(address))


def test_networks_can_be_allowed_by_name() -> None:
    policy = AddressPolicy(also=(ip_network("127.0.0.1"),))
    assert policy.allows(ip_address("127.0.0.1"))
    assert policy.allows(ip_address("::ffff:127.0.0.1"))
    assert not policy.allows(ip_address("127.0.0.2"))
    assert policy.allows(ip_address("1.1.1.1"))


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "::1"],
)
async def test_hosts_in_any_notation_are_refused(host: str) -> None:
    with pytest.raises(Unreadable, match="no public address"):
        await PUBLIC_ONLY.resolve(host, 80)


async def test_addresses_come_once() -> None:
    assert await ANY_ADDRESS.resolve("127.0.0.1", 80) == ["127.0.0.1"]
