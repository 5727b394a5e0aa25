import Foundation
public import HttpConversation

extension Transcript {
    /// The exchanges as an HTTP archive (HAR 1.2), which browsers' tools open.
    ///
    /// One page a conversation, one entry an exchange, those of children (token requests, pages of logins in the terminal)
    /// included. Nothing is in it that the transcript does not have: no bodies, cookies by their names, values that are not
    /// known to be harmless as `<redacted>`. What is not known is -1, as the format wants it.
    ///
    /// - Parameters:
    ///   - creator: the program that made it
    ///   - version: that program's version
    public func har(creator: String = "HttpConversation", version: String = "1") -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var value = encoder.singleValueContainer()
            try value.encode(date.text(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        let archive = HTTPArchive(log: .init(self, creator: .init(name: creator, version: version)))
        // Texts, dates and finite numbers: none of them fails.
        return (try? encoder.encode(archive)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
}
