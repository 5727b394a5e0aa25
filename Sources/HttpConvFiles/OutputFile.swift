public import Foundation
import HttpConvConcurrency
public import HttpConversation

/// A file that receives a response body: complete or not at all (security rule S22).
///
/// A regular or missing file is written beside its place, readable by nobody but its owner, and renamed once it is
/// complete: then it has the mode of the one it replaces, else that of any new file there. A symbolic link is followed to
/// its target; a link that leads nowhere is an error, and so is a file that somebody else has replaced meanwhile: theirs
/// stays. Devices and pipes are written in place.
public struct OutputFile: ResponseBodySink {
    private let path: String
    private let replacesFiles: Bool
    private let isPrivate: Bool
    private let appends: Bool
    private let names: @Sendable () -> String

    /// An output file by its URL.
    ///
    /// - Parameters:
    ///   - url: of a file
    ///   - replacesFiles: false where a file that is there stays, also one that appears meanwhile: that is
    ///     ``/HttpConversation/ConversationError/Code/outputFailed``, before anything is written where it can be
    ///   - isPrivate: whether nobody but its owner may read it, whatever the mode of the file whose place it takes
    public init(_ url: URL, replacesFiles: Bool = true, isPrivate: Bool = false) {
        self.init(url, replacesFiles: replacesFiles, isPrivate: isPrivate, names: Self.randomName)
    }

    /// A file at whose end the body is put as it comes: what has come stays there, also where the body breaks off.
    package static func appending(to url: URL) -> OutputFile {
        OutputFile(path: url.path(percentEncoded: false), appends: true, names: randomName)
    }

    /// An ending that nobody could guess.
    @Sendable package static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// - Parameter names: endings for names beside the file; asked again where there is one already
    init(
        _ url: URL, replacesFiles: Bool = true, isPrivate: Bool = false, names: @escaping @Sendable () -> String
    ) {
        self.init(
            path: url.path(percentEncoded: false), replacesFiles: replacesFiles, isPrivate: isPrivate, names: names)
    }

    init(
        path: String, replacesFiles: Bool = true, isPrivate: Bool = false, appends: Bool = false,
        names: @escaping @Sendable () -> String
    ) {
        self.appends = appends
        self.path = path
        self.replacesFiles = replacesFiles
        self.isPrivate = isPrivate
        self.names = names
    }

    /// Where the body is once it is complete.
    public var file: URL? { URL(filePath: path) }

    /// Makes the file that becomes this one once it is complete.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    public func open() async throws(ConversationError) -> any ResponseBodyWriter {
        try await Blocking.run { [path, replacesFiles, isPrivate, appends, names] () throws(ConversationError) in
            if appends { return try FileWriter(appendingTo: path, names: names) }
            return try FileWriter(path, replacesFiles: replacesFiles, isPrivate: isPrivate, names: names)
        }
    }
}
