"""A host that probes many unruly targets at once, for the test that kills it: it only ever ends by being killed."""

from __future__ import annotations

import asyncio
import sys

from evalnb.adapters.command import CommandLineAdapter
from evalnb.adapters.mcp import McpAdapter
from evalnb.engine.port_seam import AbortController
from tests.adapters.servers import program
from tests.adapters.targets import command_policy, command_request, mcp_policy, mcp_request


async def main(mark: str, ways: list[str], repeats: int) -> None:
    never = AbortController().signal
    bounds = {"maxElapsedMs": 600_000, "maxOutputBytes": 2**40}
    probes = []
    for way in ways:
        command = program("unruly", way)
        for turn in range(repeats):
            if turn % 3 == 2:
                server = McpAdapter(mcp_policy(command, mark=mark, **bounds))
                probes.append(server.probe(mcp_request(), never))
            else:
                tool = CommandLineAdapter(command_policy(command[0], **bounds))
                probes.append(tool.probe(command_request(command[1:], mark=mark), never))
    await asyncio.gather(*probes)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])))
