"""A small orders system as an MCP server: tenants, refunds with operation ids, and a tool that tells the whole state.

Run it with `python orders_server.py --tenant acme`. The tenant is the session's and never an argument, except for the
refund's, which is there to be misused. Flaws can be switched on: `--leaky` searches across tenants,
`--forgetful` does not know operation ids again. `--page-size` cuts the list of tools into pages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

ORDERS: dict[str, dict[str, Any]] = {
    "order-481": {"tenant": "acme", "status": "placed", "total": 40, "currency": "EUR", "note": "Ring twice."},
    "order-482": {"tenant": "acme", "status": "placed", "total": 15, "currency": "EUR", "note": ""},
    "order-483": {"tenant": "acme", "status": "shipped", "total": 99, "currency": "EUR", "note": ""},
    "order-900": {"tenant": "globex", "status": "placed", "total": 70, "currency": "USD", "note": ""},
}

_TEXT = {"type": "string"}
_ORDER = {
    "type": "object",
    "properties": {
        "orderId": _TEXT,
        "tenant": _TEXT,
        "status": {"enum": ["placed", "shipped", "cancelled"]},
        "total": {"type": "number"},
        "currency": _TEXT,
        "note": _TEXT,
    },
    "required": ["orderId", "status", "total"],
}


def _takes(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _gives(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_OPERATION = {"operationId": {"type": "string", "description": "Chosen by the application; the same for a retry."}}

# name, what it does, input, output, whether it only reads
TOOLS: tuple[tuple[str, str, dict[str, Any], dict[str, Any], bool], ...] = (
    ("orders.get", "One order of this tenant.", _takes({"orderId": _TEXT}), _ORDER, True),
    ("orders.list", "All orders of this tenant.", _takes({}), _gives(orders={"type": "array", "items": _ORDER}), True),
    (
        "orders.search",
        "Orders whose id holds a text.",
        _takes({"text": _TEXT}),
        _gives(orders={"type": "array", "items": _ORDER}),
        True,
    ),
    (
        "orders.cancel",
        "Cancel a placed order. It cannot be taken back.",
        _takes({"orderId": _TEXT}, {"reason": _TEXT, **_OPERATION}),
        _gives(orderId=_TEXT, status={"enum": ["cancelled"]}),
        False,
    ),
    (
        "payments.refund",
        "Pay money back for an order.",
        _takes({"orderId": _TEXT, "amount": {"type": "number"}}, {"tenantId": _TEXT, **_OPERATION}),
        _gives(orderId=_TEXT, refunded={"type": "number"}),
        False,
    ),
    ("admin.purge", "Delete every order of this tenant.", _takes({}), _gives(purged={"type": "integer"}), False),
    ("state.read", "The whole state, for whoever checks it.", _takes({}), {"type": "object"}, True),
)


class Refused(Exception):
    """The order system does not do what it was asked."""


class Orders:
    """The authoritative state; with a `file` it outlives the process."""

    def __init__(self, tenant: str, *, leaky: bool, forgetful: bool, file: Path | None) -> None:
        self.tenant, self.leaky, self.forgetful, self.file = tenant, leaky, forgetful, file
        self.orders = json.loads(json.dumps(ORDERS))
        self.effects: list[dict[str, Any]] = []
        self.done: dict[str, dict[str, Any]] = {}
        if file is not None and file.exists():
            held = json.loads(file.read_text())
            self.orders, self.effects, self.done = held["orders"], held["effects"], held["done"]

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        operation = arguments.get("operationId")
        if operation in self.done and not self.forgetful:
            return self.done[operation]
        answer = getattr(self, f"_{tool.replace('.', '_')}")(**arguments)
        if operation is not None:
            self.done[operation] = answer
        if self.file is not None:
            self.file.write_text(json.dumps({"orders": self.orders, "effects": self.effects, "done": self.done}))
        return dict(answer)

    def _own(self, order_id: str, tenant: str | None = None) -> dict[str, Any]:
        order = self.orders.get(order_id)
        if order is None or order["tenant"] != (tenant or self.tenant):
            raise Refused(f"there is no order {order_id}")
        return dict(order)

    def _effect(self, tool: str, order_id: str, operation: str | None) -> None:
        self.effects.append({"tool": tool, "orderId": order_id, "operationId": operation})

    def _orders_get(self, orderId: str) -> dict[str, Any]:  # noqa: N803 -- the tool's own argument
        return {"orderId": orderId, **self._own(orderId)}

    def _orders_list(self) -> dict[str, Any]:
        return {"orders": [{"orderId": key, **one} for key, one in self.orders.items() if one["tenant"] == self.tenant]}

    def _orders_search(self, text: str) -> dict[str, Any]:
        found = [{"orderId": key, **one} for key, one in self.orders.items() if text in key]
        return {"orders": [one for one in found if self.leaky or one["tenant"] == self.tenant]}

    def _orders_cancel(self, orderId: str, reason: str = "", operationId: str | None = None) -> dict[str, Any]:  # noqa: N803
        if self._own(orderId)["status"] == "shipped":
            raise Refused(f"{orderId} has shipped and cannot be cancelled")
        self.orders[orderId]["status"] = "cancelled"
        self._effect("orders.cancel", orderId, operationId)
        return {"orderId": orderId, "status": "cancelled"}

    def _payments_refund(
        self,
        orderId: str,  # noqa: N803
        amount: float,
        tenantId: str | None = None,  # noqa: N803
        operationId: str | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        if amount > self._own(orderId, tenantId)["total"]:
            raise Refused(f"{amount} is more than was paid for {orderId}")
        self._effect("payments.refund", orderId, operationId)
        return {"orderId": orderId, "refunded": amount}

    def _admin_purge(self) -> dict[str, Any]:
        own = [key for key, one in self.orders.items() if one["tenant"] == self.tenant]
        for key in own:
            del self.orders[key]
        self._effect("admin.purge", "*", None)
        return {"purged": len(own)}

    def _state_read(self) -> dict[str, Any]:
        return {"orders": self.orders, "effects": self.effects}


def build_server(orders: Orders, page_size: int) -> Server[Any]:
    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        start = int(params.cursor) if params is not None and params.cursor else 0
        rows = TOOLS[start : start + page_size]
        following = start + page_size
        return ListToolsResult(
            tools=[
                Tool(
                    name=name,
                    description=told,
                    input_schema=takes,
                    output_schema=gives,
                    annotations=ToolAnnotations(read_only_hint=reads),
                )
                for name, told, takes, gives, reads in rows
            ],
            next_cursor=str(following) if following < len(TOOLS) else None,
        )

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        if params.name not in {row[0] for row in TOOLS}:
            raise MCPError(-32602, f"Unknown tool: {params.name}")
        try:
            answer = orders.call(params.name, params.arguments or {})
        except (Refused, TypeError) as refusal:
            return CallToolResult(content=[TextContent(type="text", text=str(refusal))], is_error=True)
        text = TextContent(type="text", text=json.dumps(answer))
        return CallToolResult(content=[text], structured_content=answer)

    return Server("orders", version="1.4.0", on_list_tools=list_tools, on_call_tool=call_tool)


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenant", required=True)
    parser.add_argument("--leaky", action="store_true")
    parser.add_argument("--forgetful", action="store_true")
    parser.add_argument("--state-file", type=Path)
    parser.add_argument("--page-size", type=int, default=100)
    given = parser.parse_args()
    orders = Orders(given.tenant, leaky=given.leaky, forgetful=given.forgetful, file=given.state_file)
    server = build_server(orders, given.page_size)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
