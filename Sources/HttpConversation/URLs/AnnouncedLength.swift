package import HTTPTypes
import HttpConvFormats

extension HTTPFields {
    /// `Content-Length` (RFC 9110 §8.6); nil without it, and if it is invalid.
    package var announcedLength: Int? { self[.contentLength].flatMap { PeerNumber.integer($0, in: 0...Int.max) } }
}
