import HTTPTypes
import HttpConversation

/// The body of an upload's answer, in a file beside the record of its transfer.
struct BackgroundAnswer: Sendable {
    /// The fate of the body: on disk, or the reason why it is not.
    enum State: String, Codable, Sendable {
        case kept, tooLarge, cut, notWritten
    }

    static let maximumBytes = 1 << 20

    /// The body while it arrives.
    struct Arriving: Sendable {
        private(set) var bytes: [UInt8] = []
        private(set) var isTooLarge = false

        mutating func append(_ piece: some Collection<UInt8>) {
            isTooLarge = isTooLarge || piece.count > BackgroundAnswer.maximumBytes - bytes.count
            if isTooLarge { bytes = [] } else { bytes += piece }
        }

        /// Whether all of it has arrived. An earlier launch of the application may have had the first part.
        func state(with fields: HTTPFields) -> State {
            if isTooLarge { return .tooLarge }
            let isCoded = fields[.contentEncoding].map { $0.lowercased() != "identity" } ?? false
            guard !isCoded, let length = fields[.contentLength].flatMap({ Int($0) }) else { return .kept }
            return length == bytes.count ? .kept : .cut
        }
    }

    let state: State
    let id: ConversationID
    let records: BackgroundRecords

    /// Reads it.
    ///
    /// - Throws: the errors of ``BackgroundTransfers/End/body()``
    func read() throws(ConversationError) -> [UInt8] {
        let code: ConversationError.Code
        let why: String
        switch state {
        case .kept:
            if let bytes = records.answer(for: id) { return bytes }
            (code, why) = (.outputFailed, "its file is gone, because the transfer was acknowledged or the file removed")
        case .tooLarge: (code, why) = (.tooLarge, "it has more than \(Self.maximumBytes) bytes")
        case .cut: (code, why) = (.bodyCut, "only a part of it reached the application")
        case .notWritten: (code, why) = (.outputFailed, "it could not be written to \(records.folder.path)")
        }
        throw ConversationError(
            code,
            "The server has answered the background upload \(id), and the body of its answer is not there: \(why). The file was sent: ask the server before you send it again."
        )
    }
}
