import HTTPTypes
import HummingbirdCore

/// The answers of faults that do not process the request.
enum TokenFaultAnswer {
    private static let portal = "<!DOCTYPE html><title>Welcome</title><p>Please accept the terms of this network.</p>"

    static func replacement(_ fault: OAuthTokenFault, _ exchange: ServerExchange) throws -> Response {
        switch fault {
        case .tooManyRequests:
            return Response.text("too many requests\n", status: .tooManyRequests).adding(.retryAfter, "2")
        case .unavailable: return Response(status: .serviceUnavailable)
        case .htmlError: return html(status: .internalServerError)
        case .captivePortal: return html(status: .ok)
        case .errorInOK: return try OAuthFailure("server_error", "something broke", status: .ok).response()
        case .invalidGrantInOK: return try OAuthFailure("invalid_grant", "in a 200", status: .ok).response()
        default: return try BackChannel.answer(.invalidGrant("as a test asked for"), exchange)
        }
    }

    private static func html(status: HTTPResponse.Status) -> Response {
        var response = Response.text(portal, status: status)
        response.headers[.contentType] = "text/html; charset=utf-8"
        return response
    }
}
