echo "published $(grep '"version"' package.json)" >> published.log
echo "live"
