/// The limits of a page. A page beyond them is an attack on the reader.
package struct RowLimits: Sendable {
    package var pageBytes = 64 << 20
    package var rowBytes = 4 << 20
    package var rows = 1_000_000
    package var depth = 64
    /// The bytes of a member beside the rows, such as the link to the next page.
    package var noteBytes = 64 << 10

    package init() {}
}
