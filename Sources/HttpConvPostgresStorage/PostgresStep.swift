#if PostgreSQL

/// A moment of a statement at which tests cut the connection or stop the process.
package struct PostgresStep: Hashable, Sendable, CustomStringConvertible {
    package enum Moment: String, CaseIterable, Sendable {
        case beforeSend
        /// The database may have the statement, and no answer was read.
        case afterSend
        case afterAnswer
    }

    package let statement: PostgresStatement
    package let moment: Moment

    package init(_ statement: PostgresStatement, _ moment: Moment) {
        (self.statement, self.moment) = (statement, moment)
    }

    package var description: String { "\(statement.rawValue).\(moment.rawValue)" }
}
#endif
