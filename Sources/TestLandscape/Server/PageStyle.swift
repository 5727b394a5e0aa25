import HTTPTypes
import HummingbirdCore

/// The stylesheet of all pages: light and dark, the system's fonts, suitable for telephones.
struct PageStyle: Service {
    private static let name = "landscape.css"
    /// The path. Requests for it are not recorded, because they belong to no flow.
    static let path = "/\(name)"

    let contents = [ContentsEntry(path, "how the pages look")]

    func register(in table: inout EndpointTable) {
        table.add(Self.name) { _ in
            var response = Response.text(Self.text)
            response.headers[.contentType] = "text/css; charset=utf-8"
            response.headers[.cacheControl] = "max-age=3600"
            return response
        }
    }

    private static let text = """
        :root {
          color-scheme: light dark;
          --page: #eef1f5; --card: #fff; --text: #1d2129; --faint: #5a6270; --line: #c5ccd6;
          --accent: #1a5fd0; --on-accent: #fff; --error: #a8201a; --error-card: #fdeceb;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #15171b; --card: #212429; --text: #e7e9ed; --faint: #a3abb8; --line: #464c57;
            --accent: #8ab4f8; --on-accent: #10213d; --error: #f6aea9; --error-card: #43211f;
          }
        }
        * { box-sizing: border-box }
        html { background: var(--page) }
        body {
          max-width: 25rem; margin: 12vh auto 2rem; padding: 2rem; border-radius: .75rem;
          background: var(--card); color: var(--text); box-shadow: 0 1px 2px #0002, 0 8px 24px #0001;
          font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word;
        }
        body.contents { max-width: 72rem; margin-top: 2rem }
        h1 { margin: 0 0 1.25rem; font-size: 1.5rem; line-height: 1.25 }
        h2 { margin: 2rem 0 .5rem; font-size: 1.125rem }
        p { margin: 0 0 1rem }
        form + form { margin-top: 2rem }
        body > :last-child, form > :last-child { margin-bottom: 0 }
        a { color: var(--accent) }
        .error { padding: .625rem .75rem; border-radius: .5rem; background: var(--error-card); color: var(--error) }
        label, legend { display: block; font-size: .875rem; font-weight: 600 }
        input, select, button { font: inherit; color: inherit }
        input, select {
          display: block; width: 100%; margin: .25rem 0 1rem; padding: .5625rem .75rem;
          border: 1px solid var(--line); border-radius: .5rem; background: transparent;
        }
        fieldset { margin: 0 0 1rem; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem }
        fieldset label, label:has(> [type=checkbox]) { font-weight: 400 }
        [type=radio], [type=checkbox] { display: inline; width: auto; margin: 0 .375rem 0 0; accent-color: var(--accent) }
        button, [type=submit] {
          width: 100%; margin: .25rem 0; padding: .625rem .75rem; border: 1px solid transparent; border-radius: .5rem;
          background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer;
        }
        button:hover, [type=submit]:hover { filter: brightness(1.08) }
        button + button[type], [type=reset] { border-color: var(--line); background: transparent; color: var(--accent) }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
        strong, td:first-child { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
        strong { letter-spacing: .08em }
        table { width: 100%; border-collapse: collapse; font-size: .875rem }
        td { padding: .375rem .75rem .375rem 0; border-top: 1px solid var(--line); vertical-align: top; white-space: pre-wrap }
        td:first-child { width: 42% }
        td + td { color: var(--faint) }
        @media (max-width: 40rem) {
          body, body.contents { margin: 0 auto; padding: 1.5rem; border-radius: 0; box-shadow: none }
          html { background: var(--card) }
          td, td:first-child { display: block; width: auto }
          td + td { padding-top: 0; border: 0 }
        }

        """
}
