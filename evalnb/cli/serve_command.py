"""`evalnb serve-mcp`: the stages as tools of an MCP server, read-only."""

from __future__ import annotations

from pathlib import Path

import click

from evalnb.cli import exit_codes


@click.command("serve-mcp")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The folder whose files may be read.  [default: none; documents are given with the call]",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve streamable HTTP on this loopback port, 0 for a free one.  [default: standard input and output]",
)
def serve_mcp(root: Path | None, port: int | None) -> int:
    """Offer compile, coverage, seal, preflight, score, explain, examples and schemas to an agent."""
    import asyncio

    from evalnb.serving.server import serve_http, serve_stdio

    def announce(url: str) -> None:
        click.echo(f"evalnb: serving {url}", err=True)

    asyncio.run(serve_stdio(root) if port is None else serve_http(root, port, announce))
    return exit_codes.OK
