import HttpConvConcurrency
public import HttpConvPlatform
public import HttpConversation

/// A file that receives a response body: complete or not at all (security rule S22).
///
/// A regular or missing file is written beside its place, readable only by its owner, and renamed when it is complete.
/// Then it gets the mode of the file that it replaces, else that of any new file there. A symbolic link is followed to
/// its target. A dangling link is an error. So is a file that another process has replaced meanwhile, which stays.
/// Devices and pipes are written in place.
public struct OutputFile: ResponseBodySink {
    private let path: String
    private let replacesFiles: Bool
    private let isPrivate: Bool
    private let appends: Bool
    private let names: @Sendable () -> String

    /// Creates an output file from a URL.
    ///
    /// - Parameters:
    ///   - url: the file's URL
    ///   - replacesFiles: if false, an existing file stays, also one that appears meanwhile, and the error is
    ///     ``/HttpConversation/ConversationError/Code/outputFailed``, if possible before anything is written
    ///   - isPrivate: whether only its owner may read it, whatever the mode of the file that it replaces
    public init(_ url: URL, replacesFiles: Bool = true, isPrivate: Bool = false) {
        self.init(url, replacesFiles: replacesFiles, isPrivate: isPrivate, names: Self.randomName)
    }

    /// A file that the body is appended to as it arrives. Bytes that were written stay if the body is interrupted.
    public static func appending(to url: URL) -> OutputFile {
        OutputFile(path: url.path(percentEncoded: false), appends: true, names: randomName)
    }

    /// A random ending for a file name.
    @Sendable package static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// - Parameter names: random endings for file names; called again if a name is taken
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

    /// The URL of the complete file.
    public var file: URL? { URL(filePath: path) }

    /// Creates the temporary file that becomes this one when it is complete.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    public func open() async throws(ConversationError) -> any ResponseBodyWriter {
        try await Blocking.run { [path, replacesFiles, isPrivate, appends, names] () throws(ConversationError) in
            if appends { return try FileWriter(appendingTo: path, names: names) }
            return try FileWriter(path, replacesFiles: replacesFiles, isPrivate: isPrivate, names: names)
        }
    }
}
