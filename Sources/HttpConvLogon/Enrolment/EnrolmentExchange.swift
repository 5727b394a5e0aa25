internal import HTTPTypes
internal import HttpConvCertificates
internal import HttpConvConcurrency
import HttpConvFormats
internal import HttpConvPlatform
internal import HttpConversation

/// Sends a request for a certificate, and checks the answer.
struct EnrolmentExchange: Sendable {
    private let address: TargetURL

    init(_ address: TargetURL) { self.address = address }

    func identity(
        for request: CertificateRequest, _ authorities: [UInt8]?,
        send: (HTTPRequest, RequestBody) async throws(ConversationError) -> EnrolmentAnswer
    ) async throws(EnrolmentError) -> EnrolledIdentity {
        // RFC 5967 and RFC 8555 §9.1.
        let fields: HTTPFields = [.contentType: "application/pkcs10", .accept: "application/pem-certificate-chain"]
        let answer: EnrolmentAnswer
        do throws(ConversationError) {
            answer = try await send(HTTPRequest(.post, address, fields: fields), .bytes(request.der))
        } catch {
            throw failure(error)
        }
        try check(answer)
        do throws(CertificateError) {
            return EnrolledIdentity(
                try await request.identity(from: answer.bytes, authorities: authorities, now: SystemClock().date))
        } catch {
            throw EnrolmentError(
                Self.code(of: error), "The answer of \(address.origin) cannot be used: \(error.message)",
                underlyingError: error)
        }
    }

    // MARK: Answers

    private func check(_ answer: EnrolmentAnswer) throws(EnrolmentError) {
        guard answer.url.origin == address.origin else {
            throw EnrolmentError(
                .notAnEnrolmentServer,
                "\(answer.url.shownOrigin) answered instead of \(address.origin): is that the right one?")
        }
        let status = "with the status \(answer.status)"
        switch answer.status {
        case 200...299: break
        case 300...399, 511: throw page
        case 401, 403:
            throw EnrolmentError(
                .notAllowed,
                "\(address.origin) refuses a certificate \(status): it does not accept the login, the challenge password or the old certificate."
            )
        case 429, 500...599:
            throw EnrolmentError(
                .serverFailed, "\(address.origin) cannot make a certificate now, \(status): try again later.")
        default: throw EnrolmentError(.refused, "\(address.origin) refuses a certificate \(status).")
        }
        let type = answer.fields[.contentType]?.mediaType
        let first = answer.bytes.first { !$0.isBlank }
        if type?.isHTMLType == true || first == UInt8(ascii: "<") { throw page }
    }

    private var page: EnrolmentError {
        EnrolmentError(
            .notAnEnrolmentServer,
            "\(address.origin) answers with a page or leads elsewhere: \(LoginOutcome.pageAdvice)"
        )
    }

    private func failure(_ error: ConversationError) -> EnrolmentError {
        switch error.code {
        case .cancelled:
            EnrolmentError(.cancelled, "The request for a certificate was cancelled.", underlyingError: error)
        case .tooLarge:
            EnrolmentError(
                .tooLarge, "The answer of \(address.origin) is longer than certificates are: it was not read.",
                underlyingError: error)
        case .redirectRefused, .invalidRedirect, .tooManyRedirects:
            EnrolmentError(page.code, page.message, underlyingError: error)
        default:
            EnrolmentError(
                .conversationFailed, "There is no answer about a certificate: \(error.message)", underlyingError: error)
        }
    }

    private static func code(of error: CertificateError) -> EnrolmentError.Code {
        switch error.code {
        case .keyMismatch: .wrongKey
        case .wrongSubject: .wrongSubject
        case .wrongUsage: .wrongUsage
        case .wrongIssuer: .wrongIssuer
        case .expired: .expired
        case .notYetValid: .notYetValid
        default: .malformedAnswer
        }
    }
}
