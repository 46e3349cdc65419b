"""Connections that go only where they are allowed to."""

from __future__ import annotations

import ssl
import urllib.request
from functools import cached_property
from typing import Final

import httpx

from assay.context.addresses import AddressPolicy
from assay.context.skipped import Unreadable

_PORTS: Final = {"http": 80, "https": 443}
_CONNECTIONS = 4


class CheckedTransport(httpx.AsyncBaseTransport):
    """Resolves a host, checks its addresses, and connects to what was checked.

    So a name that resolves to something else a moment later (DNS rebinding) gains nothing. The
    certificate is still checked against the name. Proxies (HTTPS_PROXY, NO_PROXY …) and
    SSL_CERT_FILE are honoured. Through a proxy the host is checked beforehand as far as it can be
    resolved here, but it is the proxy that resolves it and connects: it has to guard its own
    network.
    """

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        # One pool a host: a pool knows connections by address, and two hosts behind one address
        # must not share a connection whose certificate was checked for one of them.
        self._pools: dict[str, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request.

        Raises:
            Unreadable: the host has an address that is not allowed.
            httpx.TransportError: no answer could be had.
        """
        host = request.url.raw_host.decode("ascii")
        proxy = _proxy_of(request.url)
        pool = self._pool(f"{request.url.scheme}://{request.url.netloc.decode()}", proxy)
        try:
            port = request.url.port or _PORTS[request.url.scheme]
            addresses = await self._policy.resolve(host, port)
        except (OSError, UnicodeError) as error:
            if proxy is None:
                raise httpx.ConnectError("there is no such host", request=request) from error
            addresses = []
        if proxy is not None:
            return await pool.handle_async_request(request)
        last: httpx.TransportError | None = None
        for address in addresses:
            try:
                return await pool.handle_async_request(_pinned(request, host, address))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                last = error
        raise last or httpx.ConnectError("the host has no address", request=request)

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            await pool.aclose()

    def _pool(self, origin: str, proxy: str | None) -> httpx.AsyncHTTPTransport:
        if origin not in self._pools:
            try:
                self._pools[origin] = httpx.AsyncHTTPTransport(
                    verify=self._ssl_context,
                    proxy=proxy,
                    limits=httpx.Limits(max_connections=_CONNECTIONS),
                )
            except ImportError:
                reason = "lies behind a SOCKS proxy, which takes the package socksio"
                raise Unreadable(reason) from None
        return self._pools[origin]


def _pinned(request: httpx.Request, host: str, address: str) -> httpx.Request:
    """The same request to an address; its Host header and its certificate's name stay."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


def _proxy_of(url: httpx.URL) -> str | None:
    if urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(url.scheme) or proxies.get("all")
