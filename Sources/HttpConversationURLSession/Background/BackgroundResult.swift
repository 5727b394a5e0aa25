import HTTPTypes
import HttpConversation

/// A ``BackgroundOutcome`` as a record on disk has it: without header fields that may be secret.
struct BackgroundResult: Hashable, Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        case finished, authenticationRequired, failed
    }

    let kind: Kind
    /// The status of the answer; nil without one.
    var status: Int?
    /// Header fields of the answer, by name.
    var fields: [String: String] = [:]
    /// The name of the error's code.
    private var codeName: String?
    /// The error's message.
    var message: String?
    /// Whether there is resume data.
    var isResumable = false
    /// The body of an upload's answer; nil if there is none, and in the records of older versions.
    var answer: BackgroundAnswer.State?

    /// Fields about the content only. Others, such as cookies, may be secret.
    private static let kept: [HTTPField.Name] = [
        .contentType, .contentLength, .contentDisposition, .eTag, .lastModified, .retryAfter,
    ]
    /// The codes that ``URLFailure`` and the background transfers have.
    private static let codes: [String: ConversationError.Code] = Dictionary(
        uniqueKeysWithValues: [
            .cancelled, .hostNotResolved, .connectionFailed, .timedOut, .tlsFailed, .certificateNotTrusted,
            .clientCertificateRequired, .clientCertificateRefused, .malformedResponse, .contentCoding, .tooLarge,
            .bodyUnavailable, .emptyResponse, .sendFailed, .bodyCut, .outputFailed, .internalInconsistency,
            .receiveFailed, .invalidConfiguration,
        ].map { (code: ConversationError.Code) in (code.description, code) })

    init(kind: Kind, code: ConversationError.Code, message: String) {
        self.kind = kind
        codeName = code.description
        self.message = message
    }

    init(_ outcome: BackgroundOutcome) {
        switch outcome {
        case .finished(let head): self.init(kind: .finished, head)
        case .authenticationRequired(let head): self.init(kind: .authenticationRequired, head)
        case .failed(let error): self.init(kind: .failed, code: error.code, message: error.message)
        }
    }

    private init(kind: Kind, _ head: HTTPResponse?) {
        self.kind = kind
        status = head?.status.code
        for name in Self.kept { fields[name.canonicalName] = head?.headerFields[name] }
        // The place of what an upload has made (RFC 9110 §10.2.2). Other locations may have a login's codes.
        if status == 201 { fields[HTTPField.Name.location.canonicalName] = head?.headerFields[.location] }
    }

    /// The error's code; nil for an answer.
    var code: ConversationError.Code? { codeName.map { Self.codes[$0] ?? .receiveFailed } }

    /// The answer; nil without one, or if the record has an impossible status.
    private var head: HTTPResponse? {
        guard let status, (100...999).contains(status) else { return nil }
        var head = HTTPResponse(status: .init(code: status))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return head
    }

    /// The outcome for the application.
    var outcome: BackgroundOutcome {
        switch (kind, head) {
        case (.finished, let head?): .finished(head)
        case (.authenticationRequired, let head): .authenticationRequired(head)
        default: .failed(ConversationError(code ?? .receiveFailed, message ?? "The background transfer failed."))
        }
    }
}
