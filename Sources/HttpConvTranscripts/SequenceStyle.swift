/// The style of a diagram. Its colours have enough contrast on light and dark paper.
enum SequenceStyle {
    static let text: HTMLText = """
        :root {
          --paper: #fbfbfd; --card: #fff; --ink: #1c1e26; --soft: #646a78; --line: #d9dce5; --band: #f1f3f8;
          --request: #2456b8; --answer: #15703f; --redirect: #7a3fb0; --refusal: #a35a00; --failure: #c0262d;
          --login: #0b7285; --note: #646a78; --notepaper: #fff6dc; --noteink: #5b4708; --noteline: #ecd995;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14161c; --card: #1b1e26; --ink: #e8eaf0; --soft: #9aa1b2; --line: #343946; --band: #20242e;
            --request: #84acff; --answer: #6ad39a; --redirect: #cba2f5; --refusal: #f2b25c; --failure: #ff8a8a;
            --login: #62cfe0; --note: #9aa1b2; --notepaper: #2d2818; --noteink: #ecd9a0; --noteline: #554a26;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; padding: 1.5rem; min-width: max-content; background: var(--paper); color: var(--ink);
          font: 15px/1.4 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
        section { margin: 0 auto 3rem; width: calc(5rem + var(--lanes) * 11.5rem); min-width: 100%; }
        section > header { position: sticky; left: 1.5rem; width: fit-content; max-width: calc(100vw - 3rem); }
        h1 { margin: 0 0 .4rem; font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
        header p { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; margin: 0 0 1.25rem;
          color: var(--soft); }
        .pill { padding: .1rem .7rem; border-radius: 1rem; border: 1.5px solid; font-weight: 600; color: var(--tint); }
        .request { --tint: var(--request); } .answer { --tint: var(--answer); } .redirect { --tint: var(--redirect); }
        .refusal { --tint: var(--refusal); } .failure { --tint: var(--failure); } .login { --tint: var(--login); }
        .note { --tint: var(--note); }
        .diagram { position: relative; padding-bottom: 1rem; background: var(--card); border: 1px solid var(--line);
          border-radius: 12px; isolation: isolate; }
        .diagram::before { content: ""; position: absolute; inset: 0 0 0 5rem; z-index: -1;
          background: linear-gradient(to right, transparent calc(50% - 1px), var(--line) calc(50% - 1px) calc(50% + 1px),
            transparent calc(50% + 1px)) 0 0 / calc(100% / var(--lanes)) 100%; }
        .lanes { position: sticky; top: 0; z-index: 1; display: grid; margin-bottom: .75rem; padding: .6rem 0 .6rem 5rem;
          grid-template-columns: repeat(var(--lanes), 1fr); background: var(--card); border-radius: 12px 12px 0 0;
          border-bottom: 1px solid var(--line); }
        .lanes div { margin: 0 .4rem; padding: .4rem .5rem; border-radius: 8px; background: var(--band); text-align: center;
          overflow-wrap: anywhere; font-size: .9rem; line-height: 1.25; }
        .lanes small { display: block; color: var(--soft); }
        .line { display: grid; grid-template-columns: 5rem var(--tracks); align-items: end; padding: .3rem 0 .45rem;
          list-style: none; }
        .line::-webkit-details-marker { display: none; }
        summary { cursor: pointer; }
        summary:hover, summary:focus-visible, details[open] > summary { background: var(--hover, rgba(128, 140, 170, .1)); }
        .line > time { grid-column: 1; align-self: center; padding-right: .75rem; text-align: right; color: var(--soft);
          font-size: .8rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .side .line > time { border-right: 3px solid var(--login); }
        .arrow { position: relative; padding: 0 .9rem .2rem; text-align: center; border-bottom: 2px solid var(--tint);
          overflow-wrap: anywhere; }
        .arrow b, .arrow small { padding: 0 .25rem; background: var(--card); box-decoration-break: clone;
          -webkit-box-decoration-break: clone; border-radius: 4px; }
        .arrow b { font-weight: 600; font-size: .9rem; color: var(--tint); }
        .arrow small { color: var(--soft); font-size: .8rem; }
        .arrow b + small { margin-left: .25rem; }
        .answer .arrow, .redirect .arrow, .refusal .arrow, .failure .arrow { border-bottom-style: dashed; }
        .arrow::after { content: ""; position: absolute; bottom: -6px; border: 5px solid transparent; }
        .right::after { right: 0; border-left: 9px solid var(--tint); border-right: 0; }
        .left::after { left: 0; border-right: 9px solid var(--tint); border-left: 0; }
        .box { grid-column: 2 / 8; justify-self: center; max-width: 100%; padding: .15rem .7rem; border-radius: 6px;
          background: var(--notepaper); border: 1px solid var(--noteline); color: var(--noteink); text-align: center;
          font-size: .82rem; overflow-wrap: anywhere; }
        .box b { font-weight: 400; }
        .failure .box { background: var(--card); border-color: var(--failure); color: var(--failure); }
        .arrow i { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        summary b::after { content: " ▸"; font-size: .8em; } details[open] summary b::after { content: " ▾"; }
        table { margin: .25rem 1.5rem .75rem 6rem; padding: .4rem .6rem; background: var(--band); border-radius: 8px;
          font: .8rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
        th { padding: 0 1rem 0 0; text-align: left; vertical-align: top; font-weight: 600; color: var(--soft);
          white-space: nowrap; }
        td { overflow-wrap: anywhere; }
        footer { position: sticky; left: 1.5rem; width: fit-content; }
        footer, .cut { color: var(--soft); font-size: .85rem; }
        .cut { color: var(--refusal); }
        @media (max-width: 760px) {
          body { min-width: 0; padding: .9rem; }
          section { width: auto; min-width: 0; }
          section > header { max-width: none; }
          .diagram::before { display: none; }
          .lanes { position: static; display: flex; flex-wrap: wrap; gap: .4rem; padding: .6rem; }
          .lanes div { margin: 0; }
          .line { display: flex; align-items: stretch; gap: .6rem; padding: .3rem .7rem .3rem 0; }
          .line > time { flex: 0 0 4rem; align-self: start; padding: .25rem .4rem 0 0; }
          .arrow { flex: 1; padding: .1rem 0 .1rem .6rem; text-align: left; border-bottom: 0;
            border-left: 3px solid var(--tint); }
          .answer .arrow, .redirect .arrow, .refusal .arrow, .failure .arrow { border-left-style: dashed; }
          .arrow::after { display: none; }
          .arrow i { position: static; display: block; width: auto; height: auto; clip-path: none; font-style: normal;
            font-size: .78rem; color: var(--soft); }
          .box { text-align: left; }
          table { display: block; margin: .25rem .7rem .6rem 4.6rem; overflow-x: auto; }
          th, td { display: block; }
        }
        """
}
