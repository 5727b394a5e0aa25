package import HTTPTypes
import HttpConvFormats

extension Redirect {
    /// The destination of a redirect with one `Location`, resolved (security rule S9). Some servers send the same one
    /// twice.
    package static func destination(
        of head: HTTPResponse, from source: TargetURL
    ) throws(ConversationError) -> TargetURL {
        let locations = head.headerFields[values: .location]
        guard let location = locations.first, locations.allSatisfy({ $0.hasSameBytes(as: location) }) else {
            throw ConversationError(
                .invalidRedirect,
                "\(source.origin) answered with \(locations.count) Location fields: it is not clear where to go.")
        }
        guard !location.hasLostBytes else {
            throw ConversationError(
                .invalidRedirect,
                "\(source.origin) redirects to a URL with bytes that are not UTF-8 and not percent-encoded: its text is lost."
            )
        }
        do throws(ConversationError) {
            let target = try source.resolving(location)
            guard target.userinfo == nil else {
                throw ConversationError(
                    .invalidRedirect,
                    "\(source.origin) redirects to a URL with a user name or password in it, which is refused.")
            }
            return target
        } catch {
            if error.code == .unsupportedScheme || error.code == .invalidRedirect { throw error }
            throw ConversationError(
                .invalidRedirect, "\(source.origin) redirects to something that is not a URL. \(error.message)",
                underlyingError: error)
        }
    }
}
