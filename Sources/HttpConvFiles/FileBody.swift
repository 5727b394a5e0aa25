public import HttpConvPlatform
public import HttpConversation

/// A file as a request body, read in pieces while it is sent.
///
/// If the file changes meanwhile, sending ends in ``/HttpConversation/ConversationError/Code/bodyUnavailable``, and the
/// server never gets a complete body. A regular file that reports the size 0 but has bytes, such as one of `/proc`, is
/// sent chunked.
///
/// Pipes and devices work as well: they have no length, and are opened and read only once. After that, this body and
/// its copies fail with ``/HttpConversation/ConversationError/Code/bodyNotReplayable``. Reading a named pipe waits for
/// its first writer, until the task is cancelled.
public struct FileBody: RequestBodySource {
    /// The file's URL.
    public let url: URL
    /// Shared by copies.
    private let pipe = OpenedPipe()

    /// Creates a body from a file's URL.
    public init(_ url: URL) { self.url = url }

    /// Opens the file. Its length is the one at this moment.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/bodyUnavailable``, or
    ///   ``/HttpConversation/ConversationError/Code/bodyNotReplayable`` for a pipe or device that was read from
    public func open() async throws(ConversationError) -> OpenedRequestBody {
        if let body = pipe.body { return try await opened(body) }
        let reader = try await FileReader.open(url)
        guard !reader.isRegular else { return OpenedRequestBody(length: reader.length) { reader.stream() } }
        return try await opened(pipe.keep(.oneShot(reader.stream())))
    }

    private func opened(_ body: RequestBody) async throws(ConversationError) -> OpenedRequestBody {
        guard body.isReplayable else { throw wasRead }
        let opened = try await body.open()
        return OpenedRequestBody(length: nil) {
            guard body.isReplayable else { throw wasRead }
            return try await opened.stream()
        }
    }

    private var wasRead: ConversationError {
        ConversationError(
            .bodyNotReplayable,
            """
            "\(TerminalText.sanitise(url.lastPathComponent))" is a pipe or device and was read before: it was not opened \
            again. Give the request a new body.
            """)
    }

    /// Whether the file is a pipe or device now, and may be read.
    fileprivate var isPipe: Bool {
        let path = url.path(percentEncoded: false)
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// A stream that opens the file when its first byte is needed.
    fileprivate var streamOpenedLater: RequestBodyStream {
        let stream = LateStream(of: url)
        return RequestBodyStream { try await stream.next() }
    }
}

extension RequestBody {
    /// A file that is read in pieces while it is sent. It must not change meanwhile: see ``FileBody``.
    ///
    /// A pipe or device becomes a one-shot body.
    public static func file(_ url: URL) -> RequestBody {
        let file = FileBody(url)
        return file.isPipe ? .oneShot(file.streamOpenedLater) : .source(file)
    }
}

extension MultipartPart {
    /// A file as a part of a form, under its own name.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest``, like every part
    public static func file(
        _ name: String, _ url: URL, contentType: String = "application/octet-stream"
    ) throws(ConversationError) -> MultipartPart {
        try .file(name, .file(url), filename: url.lastPathComponent, contentType: contentType)
    }
}
