/// The errors of a request body in a transport, with the same texts for all transports.
package enum RequestBodyFailure {
    /// The body's source failed.
    package static func of(_ error: any Error) -> ConversationError {
        if let error = error as? ConversationError { return error }
        return ConversationError(
            .bodyUnavailable, "The source of the request body failed; the request was given up.", underlyingError: error
        )
    }

    /// The body differs from its announced length.
    package static func length(announced: Int, isLonger: Bool) -> ConversationError {
        ConversationError(
            .bodyUnavailable,
            "The request body yielded \(isLonger ? "more" : "fewer") than the \(announced) bytes it had announced; the request was given up."
        )
    }
}
