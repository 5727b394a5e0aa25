package import HttpConvFormats
package import HttpConversation

extension HTMLPage {
    /// Refuses to go on where no page can be read: a login page must not pass for the resource.
    package static func requireReader() throws(ConversationError) {
        guard canBeRead else {
            throw ConversationError(
                .invalidConfiguration, "Pages cannot be read, because libxml2 is missing. Install it (Debian: libxml2)."
            )
        }
    }
}
