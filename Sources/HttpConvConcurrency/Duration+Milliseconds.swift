extension Duration {
    /// The duration in whole milliseconds, rounded up; clamped to what fits.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow2) = product.addingReportingOverflow(rest > 0 ? whole + 1 : whole)
        return overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
    }
}
