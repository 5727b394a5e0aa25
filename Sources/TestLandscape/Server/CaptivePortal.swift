import HTTPTypes
import HummingbirdCore
import NIOCore

/// The answer of a network in a server's place until the user logs in to it (a captive portal).
enum CaptivePortal {
    /// A page with the status 200.
    case page
    /// The same page with 511 (RFC 6585, 6).
    case required
    /// A redirect to the page.
    case redirect

    func response(_ exchange: ServerExchange) -> Response {
        if self == .redirect {
            return Response(
                status: .found, headers: [.location: exchange.shared.addresses.base(of: .other) + "/portal/login"])
        }
        return Response(
            status: self == .page
                ? .ok : HTTPResponse.Status(code: 511, reasonPhrase: "Network Authentication Required"),
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(
                    string: "<!DOCTYPE html><html><title>Welcome</title><form action=\"/portal/login\">"
                        + "<p>X-SMP-SESSID sap-server</p></form></html>")))
    }
}
