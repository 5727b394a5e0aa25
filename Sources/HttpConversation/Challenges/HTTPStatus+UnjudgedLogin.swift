package import HTTPTypes

extension HTTPResponse.Status {
    /// Whether a server, or a gateway before it, sends this status without a look at the request's login: it is
    /// overloaded, has not got the whole request, refuses its size, its time or its connection, or first wants a login to
    /// the network (RFC 9110 §15.5 and §15.6, RFC 6585, RFC 8470 §5.2).
    package static func leavesLoginUnjudged(_ code: Int) -> Bool {
        switch code {
        case 408, 411, 413, 414, 417, 421, 425, 429, 431, 502, 503, 504, 511: true
        default: false
        }
    }

    /// Whether a proxy sends this status without a look at the request's login to it. About a server that it cannot
    /// reach, a proxy such as squid speaks (502, 503, 504) only after it has accepted the login.
    package static func leavesProxyLoginUnjudged(_ code: Int) -> Bool {
        leavesLoginUnjudged(code) && !(502...504).contains(code)
    }
}
