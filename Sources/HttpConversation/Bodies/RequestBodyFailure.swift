/// What went wrong with the body of a request while a transport sent it, in the same words for each of them.
package enum RequestBodyFailure {
    /// Its source failed.
    package static func of(_ error: any Error) -> ConversationError {
        if let error = error as? ConversationError { return error }
        return ConversationError(
            .bodyUnavailable, "The source of the request body failed; the request was given up.", underlyingError: error
        )
    }

    /// It had announced another number of bytes.
    package static func length(announced: Int, isLonger: Bool) -> ConversationError {
        ConversationError(
            .bodyUnavailable,
            "The request body yielded \(isLonger ? "more" : "fewer") than the \(announced) bytes it had announced; the request was given up."
        )
    }
}
