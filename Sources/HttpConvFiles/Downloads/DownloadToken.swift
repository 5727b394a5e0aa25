import HttpConvConcurrency
public import HttpConvPlatform
public import HttpConversation

/// A token to resume an interrupted download from, also in another process. Names the resource, its validator, and the
/// partial file with its length.
///
/// The token contains no secret: it has the URL's origin and path, and a digest of the rest. Its content is checked
/// when it is used: ``/HttpConversation/ConversationError/Code/notResumable``. If the resource has changed since, the
/// download starts over.
public struct DownloadToken: Hashable, Sendable {
    /// The path of the complete file.
    let target: String
    let record: PartialRecord
    /// The number of bytes in the partial file.
    public let length: Int

    /// The URL of the complete file.
    public var file: URL { URL(filePath: target) }
    /// The URL of the partial file.
    public var partialFile: URL { file.deletingLastPathComponent().appending(path: record.part) }
    /// The origin and path of the resource.
    public var resource: String { record.resource }
    /// The number of bytes of the complete file.
    public var total: Int { record.total }

    /// The files that have to be removed to start over, quoted.
    var filesToRemove: String {
        [partialFile.path(percentEncoded: false), PartialRecord.path(of: target)]
            .map { "\"\(TerminalText.sanitise($0))\"" }.joined(separator: " and ")
    }

    init(target: String, record: PartialRecord, length: Int) {
        self.target = target
        self.record = record
        self.length = length
    }

    /// Finds the part that an earlier download left beside a file, for example one whose process was killed.
    ///
    /// - Returns: nil if there is no part, and the file is missing or empty
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` if the file has bytes without a record of the
    ///   resource it is a part of, or if the part cannot be trusted
    public static func find(for file: URL) async throws(ConversationError) -> DownloadToken? {
        let path = file.absoluteURL.path(percentEncoded: false)
        return try await Blocking.run { () throws(ConversationError) in try find(path) }
    }

    private static func find(_ path: String) throws(ConversationError) -> DownloadToken? {
        guard let target = try TargetFile.find(path, names: OutputFile.randomName) else {
            throw ConversationError(
                .notResumable,
                "\"\(TerminalText.sanitise(path))\" is written in place: a download into it cannot be resumed.")
        }
        guard let record = try RecordFile.read(beside: target.path) else {
            guard target.previous?.isEmpty ?? true else {
                throw ConversationError(
                    .notResumable,
                    "\"\(TerminalText.sanitise(path))\" exists, but no validator shows which resource it is a part of: nothing is appended to it. Remove it to start over."
                )
            }
            return nil
        }
        let length: Int
        do throws(ConversationError) { length = try PartialFile.size(record, beside: target.path) } catch {
            // A process may have died after it completed the file, before it removed the record.
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
    /// A text such as `300 of 1000 bytes of https://example.com/big.iso`.
    public var description: String { "\(length) of \(total) bytes of \(TerminalText.sanitise(resource))" }
}
