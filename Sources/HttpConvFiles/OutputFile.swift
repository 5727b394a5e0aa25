import HttpConvConcurrency
public import HttpConvPlatform
public import HttpConversation

/// A file that receives a response body: complete or not at all (security rule S22).
///
/// A regular or missing file is written beside its place, readable only by its owner, and renamed when it is complete.
/// Then it gets the owner and the mode of the file that it replaces, else the mode of any new file there. A symbolic
/// link is followed to its target. A dangling link is an error. It is also an error if another process has replaced the
/// file meanwhile; its file stays.
///
/// Some files are written in place, and written bytes stay if the body is interrupted: devices and pipes; a file that
/// is standard output or standard error, or has a name such as `/dev/fd/3`, and is not truncated; and a writable file
/// that no new file can replace. Reasons for the last are a directory that is not writable, a file that alone is
/// mounted from another file system, and an owner for whom this process may not create files. Another user's file in a
/// directory that is open to all, such as `/tmp`, is an error.
public struct OutputFile: ResponseBodySink {
    private let path: String
    private let replacesFiles: Bool
    private let isPrivate: Bool
    private let lastWriterWins: Bool
    private let appends: Bool
    private let names: @Sendable () -> String

    /// Creates an output file from a URL.
    ///
    /// - Parameters:
    ///   - url: the file's URL
    ///   - replacesFiles: if false, an existing file stays, also one that appears meanwhile, and the error is
    ///     ``/HttpConversation/ConversationError/Code/outputFailed``, if possible before anything is written
    ///   - isPrivate: whether the complete file belongs to this process's user, who alone may read it, whatever the
    ///     owner and the mode of the file that it replaces
    ///   - lastWriterWins: if true, the file is also replaced if another process has replaced or written it meanwhile;
    ///     by default that is an error
    public init(_ url: URL, replacesFiles: Bool = true, isPrivate: Bool = false, lastWriterWins: Bool = false) {
        self.init(
            path: url.path(percentEncoded: false), replacesFiles: replacesFiles, isPrivate: isPrivate,
            lastWriterWins: lastWriterWins, names: Self.randomName)
    }

    /// A file that the body is appended to as it arrives. Bytes that were written stay if the body is interrupted.
    public static func appending(to url: URL) -> OutputFile {
        OutputFile(path: url.path(percentEncoded: false), appends: true, names: randomName)
    }

    /// A random ending for a file name.
    @Sendable package static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// - Parameter names: random endings for file names; called again if a name is taken
    init(
        path: String, replacesFiles: Bool = true, isPrivate: Bool = false, lastWriterWins: Bool = false,
        appends: Bool = false, names: @escaping @Sendable () -> String
    ) {
        self.lastWriterWins = lastWriterWins
        self.appends = appends
        self.path = path
        self.replacesFiles = replacesFiles
        self.isPrivate = isPrivate
        self.names = names
    }

    /// The URL of the complete file.
    public var file: URL? { URL(filePath: path) }

    /// Whether the file is written in place now, so that written bytes stay if the body is interrupted. Blocks.
    public var isWrittenInPlace: Bool {
        appends || TargetFile.isInPlace(path, isPrivate: isPrivate, names: names)
    }

    /// Creates the temporary file that becomes this one when it is complete.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    public func open() async throws(ConversationError) -> any ResponseBodyWriter {
        try await Blocking.run { [self] () throws(ConversationError) in
            if appends { return try FileWriter(appendingTo: path, names: names) }
            return try FileWriter(
                path, replacesFiles: replacesFiles, isPrivate: isPrivate, lastWriterWins: lastWriterWins, names: names)
        }
    }
}
