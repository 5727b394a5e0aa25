public import HttpConversation

/// A token endpoint that cannot answer now, for a service's health check or metrics.
public struct OAuth2EndpointFailure: Sendable, Hashable {
    /// The endpoint.
    public let endpoint: TargetURL
    /// The number of failures since its last answer.
    public let failures: Int
    /// The status of the last failure; nil if there was no response.
    public let status: Int?
    /// The time until it is asked again; nil: the next request for tokens asks it.
    public let pause: Duration?

    /// The token endpoints that have failed since their last answer, in this process. Empty if all is well.
    ///
    /// Failures are a 502, 503 or 504, a page or a redirect in place of tokens, and a connection that could not be made
    /// or was lost. After five failures in a row, in at least two sessions, the endpoint gets a pause for all sessions
    /// that use the same proxy, or no proxy. The pause is the one of its `Retry-After`, else a second at first, and
    /// then twice as long each time, up to half a minute. Failures of one session alone cause no pause. During the
    /// pause, all requests for its tokens fail at once with ``OAuth2Error/Code/temporarilyUnavailable``. After it, a
    /// single request tries the endpoint, and the others continue once it has answered.
    public static var all: [OAuth2EndpointFailure] { TokenEndpointGate.shared.failures }
}
