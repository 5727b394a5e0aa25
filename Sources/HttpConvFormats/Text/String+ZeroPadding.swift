extension String {
    /// Digits with zeros before them, up to a number of digits in all.
    package func zeroPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - utf8.count)) + self
    }
}
