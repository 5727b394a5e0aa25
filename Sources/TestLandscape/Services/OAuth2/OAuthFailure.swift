import HTTPTypes
import HummingbirdCore

/// An error of RFC 6749, 5.2 or one of its extensions.
struct OAuthFailure: Error {
    private struct Body: Encodable {
        let error: String
        let errorDescription: String

        private enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }

    let code: String
    let description: String
    var status: HTTPResponse.Status = .badRequest

    init(_ code: String, _ description: String, status: HTTPResponse.Status = .badRequest) {
        self.code = code
        self.description = description
        self.status = status
    }

    static let invalidClient = OAuthFailure("invalid_client", "unknown client or wrong secret", status: .unauthorized)

    static func invalidGrant(_ description: String) -> OAuthFailure {
        OAuthFailure("invalid_grant", description)
    }

    static func invalidRequest(_ description: String) -> OAuthFailure {
        OAuthFailure("invalid_request", description)
    }

    func response() throws -> Response {
        let body = Body(error: code, errorDescription: description)
        let response = try Response.json(body, status: status, headers: [.cacheControl: "no-store"])
        return status == .unauthorized ? response.adding(.wwwAuthenticate, #"Basic realm="oauth2""#) : response
    }
}
