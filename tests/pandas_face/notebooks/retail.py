# %%
import pandas as pd

pd.set_option("display.max_columns", 20)

# %%
sales = pd.read_csv(
    "sales.csv", sep=";", decimal=",", parse_dates=["when"], dayfirst=True, dtype={"country": "category"}
)
products = pd.read_parquet("products.parquet")
customers = pd.read_parquet("customers.parquet")
sales.head()

# %%
sales.shape, products.shape, customers.shape

# %%
sales.describe(include="all")

# %%
sales.isnull().mean().round(4)

# %%
sales = sales.dropna(subset=["customer"])
sales["customer"] = sales["customer"].astype(int)
sales.info()

# %%
cancelled = sales["invoice"].str.startswith("C")
cancelled.value_counts()

# %%
sales = sales[~cancelled & (sales["quantity"] > 0)].copy()
sales["revenue"] = sales["quantity"] * sales["price"]
sales["revenue"].sum().round(2)

# %%
sales.duplicated().sum(), sales.duplicated(subset=["invoice", "sku"]).sum()

# %%
sales = sales.drop_duplicates(subset=["invoice", "sku"], keep="first").reset_index(drop=True)
sales.tail(3)

# %%
products["name"] = products["name"].str.strip().str.replace(r"\s*\(new\)", "", regex=True).str.upper()
products.head()

# %%
full = sales.merge(products, on="sku", how="left", validate="many_to_one").merge(customers, on="customer", how="left")
full.isna().sum()

# %%
full["category"] = full["category"].fillna("Unknown")
full["margin"] = full["revenue"] - full["quantity"] * full["cost"]
full.groupby("category")[["revenue", "margin"]].sum().round(2)

# %%
check = sales.merge(products, on="sku", how="outer", indicator=True)
check["_merge"].value_counts()

# %%
full["month"] = full["when"].dt.to_period("M")
monthly = full.groupby("month")["revenue"].sum()
monthly

# %%
monthly.pct_change().mul(100).round(1)

# %%
full["revenue"].quantile([0.25, 0.5, 0.75, 0.99])

# %%
full["band"] = pd.qcut(full["revenue"], 4, labels=["low", "mid", "high", "top"])
full.groupby("band", observed=True)["revenue"].agg(["min", "max", "count"])

# %%
table = pd.pivot_table(
    full, values="revenue", index="country", columns="category", aggfunc=["sum", "mean"], observed=True
)
table.round(1)

# %%
table.xs("Books", axis=1, level=1)

# %%
table["sum"].idxmax()

# %%
best = full.groupby(["country", "name"], observed=True)["quantity"].sum()
best.groupby(level="country", observed=True).nlargest(2)

# %%
best.loc["France"].sort_values(ascending=False).head()

# %%
best.unstack(fill_value=0).iloc[:3, :5]

# %%
rfm = full.groupby("customer").agg(
    recency=("when", lambda s: (pd.Timestamp("2024-01-01") - s.max()).days),
    frequency=("invoice", "nunique"),
    monetary=("revenue", "sum"),
)
rfm.describe()

# %%
rfm["score"] = sum(pd.qcut(rfm[name].rank(method="first"), 4, labels=False) for name in ["frequency", "monetary"])
rfm["score"].value_counts().sort_index()

# %%
rfm.join(customers.set_index("customer"))[["segment", "monetary"]].groupby("segment").mean()

# %%
full.groupby("segment").agg({"revenue": ["sum", "mean"], "invoice": "nunique", "quantity": "max"})

# %%
full["when"].dt.dayofweek.map({0: "Mon", 1: "Tue", 2: "Wed", 3: "Thu", 4: "Fri", 5: "Sat", 6: "Sun"}).value_counts()

# %%
weekly = full.set_index("when")["revenue"].resample("W").agg(["sum", "count"])
weekly.head()

# %%
weekly["sum"].rolling(4, min_periods=1).mean().tail()

# %%
first = full.groupby("customer")["when"].min().dt.to_period("M").rename("cohort")
cohorts = full.join(first, on="customer").groupby(["cohort", "month"])["customer"].nunique().unstack()
cohorts.iloc[:4, :4]

# %%
pd.get_dummies(full["category"]).groupby(full["country"], observed=True).mean()

# %%
melted = products.melt(id_vars=["sku", "name"], value_vars=["category", "cost"])
melted.sample(4, random_state=0)

# %%
full["cum"] = full.sort_values("when")["revenue"].cumsum()
full.loc[full["cum"].idxmax(), ["when", "revenue"]]

# %%
full.assign(big=lambda d: d["revenue"] > 200, tax=lambda d: d["revenue"] * 0.2).filter(["invoice", "big", "tax"]).head()

# %%
pd.concat([full.nlargest(3, "revenue"), full.nsmallest(3, "revenue")], keys=["top", "bottom"])[["sku", "revenue"]]

# %%
full.to_parquet("full.parquet", index=False)
back = pd.read_parquet("full.parquet", columns=["country", "revenue", "segment"])
back.dtypes

# %%
table["sum"].round(0).style.format("{:.0f}").highlight_max()

# %%
ax = full.groupby("category")["revenue"].sum().plot.bar(title="revenue")
ax.set_ylabel("EUR")

# %%
full.boxplot(column="price", by="country")
