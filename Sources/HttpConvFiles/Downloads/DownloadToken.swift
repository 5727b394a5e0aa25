public import Foundation
import HttpConvConcurrency
public import HttpConversation

/// What a download that broke off can go on from, also in another process: which resource, its validator, and the
/// partial file with its length.
///
/// Nothing in it is secret: of the URL it has origin and path, and a digest of the rest. What it says is checked when
/// it is used: ``/HttpConversation/ConversationError/Code/notResumable``. Where the same has changed in between, the
/// download starts over.
public struct DownloadToken: Hashable, Sendable {
    /// Where the file is to be.
    let target: String
    let record: PartialRecord
    /// How many bytes are there.
    public let length: Int

    /// Where the file is to be.
    public var file: URL { URL(filePath: target) }
    /// What is there of it.
    public var partialFile: URL { file.deletingLastPathComponent().appending(path: record.part) }
    /// Origin and path of the resource.
    public var resource: String { record.resource }
    /// The number of bytes of the whole.
    public var total: Int { record.total }

    /// The files that a download has to be rid of to start over, quoted.
    var filesToRemove: String {
        [partialFile.path(percentEncoded: false), PartialRecord.path(of: target)]
            .map { "\"\(TerminalText.sanitise($0))\"" }.joined(separator: " and ")
    }

    init(target: String, record: PartialRecord, length: Int) {
        self.target = target
        self.record = record
        self.length = length
    }

    /// What an earlier download has left beside a file, such as one of a process that was ended.
    ///
    /// - Returns: nil where there is nothing, neither the file nor a part of it
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` where there is the file, and nothing says of
    ///   what it is a part, or where what there is cannot be trusted
    public static func find(for file: URL) async throws(ConversationError) -> DownloadToken? {
        let path = file.absoluteURL.path(percentEncoded: false)
        return try await Blocking.run { () throws(ConversationError) in try find(path) }
    }

    private static func find(_ path: String) throws(ConversationError) -> DownloadToken? {
        guard let target = try TargetFile.find(path, names: OutputFile.randomName) else {
            throw ConversationError(
                .notResumable,
                "\"\(TerminalText.sanitise(path))\" is no regular file: a download into it cannot go on.")
        }
        guard let record = try RecordFile.read(beside: target.path) else {
            guard target.previous == nil else {
                throw ConversationError(
                    .notResumable,
                    "\"\(TerminalText.sanitise(path))\" is there, and no validator says of what it is a part: nothing is appended to it. Remove it to start over."
                )
            }
            return nil
        }
        let length: Int
        do throws(ConversationError) { length = try PartialFile.size(record, beside: target.path) } catch {
            // A process may have died between the two.
            guard let path = record.partPath(beside: target.path), TargetFile.Identity(at: path) == nil else {
                throw error
            }
            return nil
        }
        return length > 0 ? DownloadToken(target: target.path, record: record, length: length) : nil
    }
}

extension DownloadToken: Codable {
    private enum CodingKeys: String, CodingKey { case target, record, length }

    /// - Throws: `DecodingError` for a damaged token
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        target = try values.decode(String.self, forKey: .target)
        record = try values.decode(PartialRecord.self, forKey: .record)
        length = try values.decode(Int.self, forKey: .length)
        guard length > 0, length <= record.total, record.partPath(beside: target) != nil else {
            throw DecodingError.dataCorruptedError(forKey: .length, in: values, debugDescription: "a damaged token")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(target, forKey: .target)
        try values.encode(record, forKey: .record)
        try values.encode(length, forKey: .length)
    }
}

extension DownloadToken: CustomStringConvertible {
    /// Such as `300 of 1000 bytes of https://example.com/big.iso`.
    public var description: String { "\(length) of \(total) bytes of \(TerminalText.sanitise(resource))" }
}
