import HTTPTypes
import HttpConvFormats

extension ConversationLoop {
    /// Recognises nginx's refusal of a client certificate: it accepts every handshake, and answers with a page of its
    /// own, with status 400 and one of these sentences.
    func certificatePage(
        _ response: TransportResponse, _ source: ClientIdentitySource, _ origin: Origin
    ) async -> ConversationError? {
        guard response.head.status == .badRequest,
            response.head.headerFields[.contentType]?.mediaType == "text/html",
            let bytes = try? await response.body.prefetch(
                upTo: 1024, within: configuration.peekTimeout, clock: configuration.clock)
        else { return nil }
        let page = String(decoding: bytes.prefix(1024), as: UTF8.self)
        let error: ConversationError
        if source.answeredIdentity == nil, page.contains("No required SSL certificate was sent") {
            error = ConversationError(
                .clientCertificateRequired, "\(origin) demands a client certificate, and there is none for it.")
        } else if let identity = source.answeredIdentity, page.contains("The SSL certificate error") {
            error = ConversationError(
                .clientCertificateRefused, "\(origin) does not accept the client certificate (\(identity.summary)).")
        } else {
            return nil
        }
        await response.body.finish(within: configuration.peekTimeout, clock: configuration.clock)
        return error
    }
}
