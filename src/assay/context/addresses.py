"""Which network addresses documentation may come from."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from assay.context.skipped import Unreadable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Translates IPv4 for networks that have IPv6 only (RFC 6052).
_NAT64 = IPv6Network("64:ff9b::/96")
# Of IPv6, what is given out for use on the internet.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# Azure's metadata service: the one that lies in a public range.
_METADATA = IPv4Address("168.63.129.16")


@dataclass(frozen=True)
class AddressPolicy:
    """Public addresses are allowed, others only where they were named."""

    also: tuple[Network, ...] = ()
    """Networks that are allowed though they are private, loopback or link-local."""

    def allows(self, address: Address) -> bool:
        """Whether a connection to `address` may be made."""
        address = _behind(address)
        if any(address in network for network in self.also):
            return True
        return (
            address.is_global
            and not address.is_multicast
            and not address.is_reserved
            and (isinstance(address, IPv4Address) or address in _GLOBAL_UNICAST)
            and address != _METADATA
        )

    async def resolve(self, host: str, port: int) -> list[str]:
        """The addresses of a host, all of which are allowed.

        Args:
            host: A name or an address; numbers in any notation that C libraries know.
            port: As in the URL.

        Raises:
            Unreadable: one of its addresses is not allowed.
            OSError: there is no such host.
        """
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        for address in addresses:
            if not self.allows(ip_address(address)):
                raise Unreadable(
                    f"leads to {address}, which is no public address"
                    " (ASSAY_ALLOW_PRIVATE_ADDRESSES=true allows it)"
                )
        return addresses


PUBLIC_ONLY = AddressPolicy()
ANY_ADDRESS = AddressPolicy(also=(ip_network("0.0.0.0/0"), ip_network("::/0")))


def _behind(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)
