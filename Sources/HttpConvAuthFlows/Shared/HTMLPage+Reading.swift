package import HTTPTypes
package import HttpConvFormats
package import HttpConversation

extension HTMLPage {
    /// Throws if pages cannot be read on this system, because a login page must not pass for the resource.
    package static func requireReader() throws(ConversationError) {
        guard canBeRead else {
            throw ConversationError(
                .invalidConfiguration, "Pages cannot be read, because libxml2 is missing. Install it (Debian: libxml2)."
            )
        }
    }

    /// Parses a page with the fields of its response: its charset, and `Refresh` unless bytes of it are lost.
    package init(_ bytes: some Collection<UInt8>, fields: HTTPFields) {
        let refresh = fields[.refresh].flatMap { $0.hasLostBytes ? nil : $0 }
        self.init(bytes, contentType: fields[.contentType], refresh: refresh)
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    /// The field of a page that goes on by itself (HTML, "The Refresh header").
    fileprivate static let refresh = HTTPField.Name("Refresh")!
}
