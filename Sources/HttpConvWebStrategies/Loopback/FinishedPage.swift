import HttpConvFormats

/// The page that the person's browser shows after the login. It repeats nothing of the request.
public struct FinishedPage: Sendable {
    let html: String

    /// Creates a page with the application's own texts; plain text.
    public init(title: String = "Login finished", text: String = "You can close this window and go back.") {
        html = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>\(XMLText.escaped(title))</title>\
            <style>body{font:1.2em system-ui,sans-serif;margin:20vh auto;max-width:30em;text-align:center}</style></head>\
            <body><h1>\(XMLText.escaped(title))</h1><p>\(XMLText.escaped(text))</p></body></html>
            """
    }

    /// The last page of a window that closes by itself.
    static let closing = FinishedPage(text: "You can go back to where you came from. This window closes by itself.")
}
