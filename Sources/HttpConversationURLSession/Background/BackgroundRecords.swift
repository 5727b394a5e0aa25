import Foundation
import HttpConvSystem
import HttpConversation

/// The records of background transfers in a folder that only its owner can read. Each call blocks.
struct BackgroundRecords: Sendable {
    let folder: URL

    private static let maximumRecords = 10_000
    private static let maximumBytes = 64 << 10
    /// Resume data is a few kilobytes.
    private static let maximumResumeBytes = 1 << 20

    /// The attributes of the folder. The system launches the application for a transfer while the device is locked, and
    /// the files of this folder have to be open then, whatever the application's own default is.
    private static var attributes: [FileAttributeKey: Any] {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        #if os(iOS)
        attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
        #endif
        return attributes
    }

    /// The records. A damaged one, or one of another version, is left out.
    func load() -> [BackgroundRecord] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().prefix(Self.maximumRecords).compactMap { name in
            guard name.hasSuffix(".json"), let data = read(name, Self.maximumBytes),
                let record = try? JSONDecoder().decode(BackgroundRecord.self, from: data), record.isKnown,
                Self.name(record.id) == name
            else { return nil }
            return record
        }
    }

    /// Writes a record in place of an older one.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    func write(_ record: BackgroundRecord) throws(ConversationError) {
        // Strings and numbers can always be encoded.
        try write((try? JSONEncoder().encode(record)) ?? Data(), Self.name(record.id))
    }

    /// Keeps resume data, which may contain the request's fields.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    func keep(_ resumeData: Data, for id: ConversationID) throws(ConversationError) {
        try write(resumeData, Self.resumeName(id))
    }

    /// Keeps the body of an answer.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    func keep(answer: [UInt8], for id: ConversationID) throws(ConversationError) {
        try write(Data(answer), Self.answerName(id))
    }

    func answer(for id: ConversationID) -> [UInt8]? {
        read(Self.answerName(id), BackgroundAnswer.maximumBytes).map { Array($0) }
    }

    func resumeData(for id: ConversationID) -> Data? { read(Self.resumeName(id), Self.maximumResumeBytes) }

    /// Removes a transfer's files.
    func remove(_ id: ConversationID) {
        removeResumeData(for: id)
        try? FileManager.default.removeItem(at: folder.appending(path: Self.answerName(id)))
        try? FileManager.default.removeItem(at: folder.appending(path: Self.name(id)))
    }

    func removeResumeData(for id: ConversationID) {
        try? FileManager.default.removeItem(at: folder.appending(path: Self.resumeName(id)))
    }

    private static func name(_ id: ConversationID) -> String { "\(id).json" }
    private static func answerName(_ id: ConversationID) -> String { "\(id).answer" }
    private static func resumeName(_ id: ConversationID) -> String { "\(id).resume" }

    private func read(_ name: String, _ limit: Int) -> Data? {
        let bytes = SystemCalls.read(file: folder.appending(path: name).path, atMost: limit + 1)
        guard let bytes, bytes.count <= limit else { return nil }
        return Data(bytes)
    }

    private func write(_ data: Data, _ name: String) throws(ConversationError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: Self.attributes)
        } catch { throw failure(error.localizedDescription) }
        guard let draft = DraftFile(at: { folder.appending(path: "\(UUID().uuidString).new").path }) else {
            throw failure("No file can be created there.")
        }
        guard SystemCalls.writeAll(draft.descriptor, [UInt8](data)) == 0 else {
            draft.discard()
            throw failure("It cannot be written.")
        }
        guard draft.place(at: folder.appending(path: name).path) == 0 else {
            throw failure("A file there cannot be replaced.")
        }
    }

    private func failure(_ why: String) -> ConversationError {
        ConversationError(
            .outputFailed, "The record of a background transfer could not be written to \(folder.path). \(why)")
    }
}
