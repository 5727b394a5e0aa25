#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HttpConversation

/// Classifies curl's error texts. FoundationNetworking itself reports only that something failed.
enum CurlFailure {
    static func words(
        _ error: URLError, _ peer: String, _ stage: ExchangeTimes.Stage
    ) -> (ConversationError.Code, String)? {
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error
        let text = ((underlying ?? error) as NSError).localizedDescription.lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        if has("certificate", "subject name") { return (.certificateNotTrusted, URLFailure.certificate(peer)) }
        if has("ssl", "tls") { return (.tlsFailed, URLFailure.tls(peer)) }
        if has("content encoding", "content unencoding", "content decoding", "inflate", "gzip") {
            return (.contentCoding, "\(peer) answered with a Content-Encoding that is unknown or damaged.")
        }
        if has("out of memory", "too large", "too long", "too big") {
            return (.tooLarge, "The head of \(peer)'s response is too large.")
        }
        if has("bytes remaining", "outstanding read data") { return URLFailure.broken(peer, .receiving) }
        if has("recv failure", "send failure", "empty reply", "connection died") {
            return URLFailure.broken(peer, stage)
        }
        if has("read function", "rewind") {
            return (.bodyUnavailable, "The source of the request body failed; the request was given up.")
        }
        if has("chunk", "header", "http/", "invalid", "weird", "nul byte", "unsupported") {
            return (.malformedResponse, "\(peer) sent an invalid HTTP response.")
        }
        return nil
    }
}
#endif
