# %%
import numpy as np
import pandas as pd

# %%
df = pd.read_csv("flows.csv", parse_dates=["start"], dtype={"proto": "category"})
hosts = pd.read_csv("hosts.csv")
df.head()

# %%
df.info()

# %%
df.describe()

# %%
df.isna().sum()

# %%
df["proto"].value_counts(normalize=True)

# %%
df["bytes"] = df["bytes"].fillna(df["bytes"].median()).astype("int64")
df["flag"] = df["flag"].fillna("NONE")
df.dtypes

# %%
df["rate"] = df["bytes"] / df["duration"].clip(lower=0.01)
df[["bytes", "duration", "rate"]].describe(percentiles=[0.05, 0.95]).round(2)

# %%
top = df.groupby("src")["bytes"].sum().nlargest(10)
top

# %%
by_port = df.groupby("dport").agg(
    flows=("bytes", "size"), total=("bytes", "sum"), mean=("bytes", "mean"), hosts=("src", "nunique")
)
by_port.sort_values("total", ascending=False)

# %%
df.groupby(["proto", "flag"], observed=True)["packets"].agg(["count", "mean", "max"])

# %%
big = df[(df["bytes"] > 100_000) & (df["proto"] == "tcp")]
big.sort_values(["bytes", "src"], ascending=[False, True]).head(8)

# %%
df.query("dport == 443 and duration > 10").shape

# %%
services = {22: "ssh", 53: "dns", 80: "http", 443: "https"}
df["service"] = df["dport"].map(services).fillna("other")
df["service"].value_counts()

# %%
merged = df.merge(hosts, left_on="src", right_on="host", how="left")
merged["site"].isna().sum(), len(merged)

# %%
merged = merged.drop(columns="host").rename(columns={"site": "src_site", "kind": "src_kind"})
merged.columns

# %%
pd.crosstab(merged["src_site"], merged["service"], margins=True)

# %%
pd.crosstab(merged["src_kind"], merged["proto"], normalize="index").round(3)

# %%
merged.pivot_table(index="src_site", columns="service", values="bytes", aggfunc="sum", margins=True)

# %%
hourly = df.set_index("start").resample("h")["bytes"].sum()
hourly.head(12)

# %%
hourly.rolling(6).mean().dropna().head()

# %%
df["hour"] = df["start"].dt.hour
df["weekday"] = df["start"].dt.day_name()
df.groupby("weekday")["bytes"].sum().sort_values()

# %%
df.pivot_table(index="hour", columns="proto", values="packets", aggfunc="mean", observed=True).head()

# %%
df["size_class"] = pd.cut(df["bytes"], bins=[0, 100, 1000, 10000, np.inf], labels=["tiny", "small", "medium", "large"])
df["size_class"].value_counts(sort=False)

# %%
df.groupby("size_class", observed=False)["duration"].median()

# %%
df = df.sort_values(["src", "start"])
df["gap"] = df.groupby("src")["start"].diff().dt.total_seconds()
df[["src", "start", "gap"]].head()

# %%
df["gap"].describe()

# %%
df["rank"] = df.groupby("src")["bytes"].rank(method="dense", ascending=False)
df[df["rank"] <= 2].sort_values(["src", "rank"]).head(6)

# %%
df["share"] = df["bytes"] / df.groupby("src")["bytes"].transform("sum")
df["share"].max()

# %%
df["subnet"] = df["src"].str.split(".").str[2].astype(int)
df["subnet"].value_counts().sort_index()

# %%
df["src"].str.extract(r"(\d+)\.(\d+)$").head()

# %%
pairs = (
    df.groupby(["src", "dst"])
    .size()
    .reset_index(name="flows")
    .sort_values(["flows", "src", "dst"], ascending=[False, True, True])
)
pairs.head(10)

# %%
scanners = df.groupby("src")["dport"].nunique()
scanners[scanners >= 5].index.tolist()[:5]

# %%
quiet = df.groupby("src").filter(lambda part: part["bytes"].sum() < df["bytes"].mean() * 150)
quiet["src"].nunique()

# %%
df["weird"] = np.where((df["dport"] == 22) & (df["bytes"] > 50_000), "check", "fine")
df["weird"].value_counts()

# %%
df[["bytes", "packets", "duration"]].corr()

# %%
daily = df.groupby([df["start"].dt.date, "proto"], observed=True)["bytes"].sum().unstack()
daily

# %%
daily.pct_change().round(3)

# %%
by_port.to_csv("ports.csv")
pd.read_csv("ports.csv", index_col="dport")

# %%
hourly.plot(title="bytes per hour")

# %%
df["duration"].plot.hist(bins=30)
