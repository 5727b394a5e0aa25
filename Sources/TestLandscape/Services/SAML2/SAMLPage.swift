import HTTPTypes
import HummingbirdCore
import NIOCore

/// The pages of the SAML2 parties and of the second factor.
enum SAMLPage {
    /// A form with hidden fields that a script submits, or the user if scripts are off (saml-bindings-2.0, 3.5).
    static func selfSubmitting(
        action: String, fields: [(name: String, value: String)], script: String? = nil
    ) -> String {
        let inputs = fields.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\(Markup.references($0.value))\"/>\n"
        }.joined()
        let onload = script == nil ? " onload=\"document.forms[0].submit()\"" : ""
        return """
            <!DOCTYPE html>
            <html lang="en"><head><title>Continue</title>\(script.map { "<script src=\"\($0)\" defer></script>" } ?? "")</head>
            <body\(onload)>
            <noscript><p>Your browser runs no scripts. Please press the button once.</p></noscript>
            <form action="\(Markup.references(action))" method="post">
            <div>
            \(inputs)</div>
            <noscript><div><input type="submit" value="Continue"/></div></noscript>
            </form>
            </body></html>

            """
    }

    /// A page with a message for people.
    static func notice(_ title: String, _ text: String) -> Response {
        response(page(title: title, content: "<p>\(Page.escape(text))</p>"))
    }

    /// A page with an error.
    static func problem(_ text: String, status: HTTPResponse.Status = .forbidden) -> Response {
        response(
            page(title: "This does not work", content: "<p class=\"error\">\(Page.escape(text))</p>"),
            status: status)
    }

    /// A page without a charset. Its content may have scripts.
    static func page(title: String, content: String) -> String { Page.html(title, content) }

    /// HTML without a charset, as many real servers send it. The text must be ASCII or declare its charset.
    static func response(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.text(html, status: status)
        response.headers[.contentType] = "text/html"
        response.headers[.cacheControl] = "no-cache, no-store"
        return response
    }

    /// HTML in UTF-16 with a byte order mark.
    static func utf16Response(_ html: String, status: HTTPResponse.Status) -> Response {
        let units = [0xFEFF] + Array(html.utf16)
        let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        var response = response("", status: status)
        response.headers[.contentType] = "text/html; charset=utf-16"
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return response
    }

    /// HTML in chunks of seven bytes.
    static func chunkedResponse(_ html: String, status: HTTPResponse.Status) -> Response {
        var response = response("", status: status)
        let bytes = Array(html.utf8)
        response.headers[.contentLength] = nil
        response.body = ResponseBody { writer in
            for start in stride(from: 0, to: bytes.count, by: 7) {
                try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + 7, bytes.count)]))
            }
            try await writer.finish(nil)
        }
        return response
    }

    /// A redirect to a URL.
    static func redirect(_ location: String, status: HTTPResponse.Status = .found) -> Response {
        var response = Response(status: status)
        response.headers[.location] = location
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
