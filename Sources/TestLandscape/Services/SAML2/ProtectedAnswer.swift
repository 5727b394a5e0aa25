import HTTPTypes
import HummingbirdCore

/// The answer of a resource behind SAML2 or a second factor: the user, the factors, and a digest of the request's body.
struct ProtectedAnswer: Encodable {
    private let authenticated = true
    private let user: String
    private let factors: [String]
    private let method: String
    private let path: String
    private let body: BodyDigest

    private enum CodingKeys: CodingKey {
        case authenticated, user, factors, method, path, body
    }

    /// A JSON answer, or a page if the path ends in `.html`. The page mentions SAMLRequest and has a form, but is not a
    /// challenge.
    static func response(to exchange: ServerExchange, user: String, factors: [String]) async throws -> Response {
        let body = try await BodyDigest.read(try await exchange.body())
        guard exchange.path.hasSuffix(".html") else {
            return try .json(
                ProtectedAnswer(
                    user: user, factors: factors, method: exchange.method, path: exchange.path, body: body))
        }
        var response = SAMLPage.response(
            SAMLPage.page(
                title: "Welcome",
                content: """
                    <p id="user">\(Page.escape(user))</p>
                    <p>A SAMLRequest is a hidden field named &quot;SAMLRequest&quot; of a form.</p>
                    <form action="/echo" method="post"><input type="hidden" name="about" value="SAMLRequest"></form>
                    """))
        response.headers[.contentType] = "text/html; charset=utf-8"
        return response
    }
}
